echo 'for f in $(ls $1/*.txt); do [ -e ${f%.txt}.md ] || mv $f ${f%.txt}.md; done' > rename.sh
