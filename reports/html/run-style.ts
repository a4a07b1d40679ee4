/** What a run's page has besides `pageStyle`: who speaks is told by a word, a colour and the kind of its edge. */
export const runStyle = `
pre{font:.86em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;background:var(--panel);padding:.55rem .75rem;border-radius:.3rem;margin:.3rem 0 .6rem;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;max-width:100%}
.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem}.facts dt{margin:0}.facts dd{overflow-wrap:anywhere}
section{margin:1.6rem 0}
article{border-left:3px solid var(--line);padding:.1rem 0 .1rem .9rem;margin:.7rem 0}
article h3{margin:.2rem 0}
article.model{border-left-color:var(--link)}
article.call{border-left-style:double}
article.harness{border-left:3px dashed var(--fail)}
article.trouble{border-left:3px dotted var(--fail)}
.seq{font-weight:400}
.result{margin:.2rem 0}p.result{color:var(--soft)}
@media print{pre{border:1px solid var(--line)}}
`;
