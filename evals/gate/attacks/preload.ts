/**
 * Two shared libraries for the loader (Linux, x86-64; elsewhere the loader ignores them), gzip and base64. Their sources, for
 * `gcc -Os -shared -fPIC -nostdlib -s -Wl,--hash-style=sysv -Wl,--build-id=none -Wl,-z,norelro -Wl,-z,noseparate-code`:
 *
 * `everythingSucceeds`: `void exit(int s) { syscall(SYS_exit_group, 0); }`, and `_exit` likewise.
 * `stoppedClock`: `clock_gettime` makes the system call and puts one constant into a reading of CLOCK_REALTIME; `gettimeofday` and `time` answer it.
 */
const everythingSucceeds =
  "H4sIAAAAAAACA71TvU7DMBC+OP1J6QDtVLYyAUJYTcRQdUBI4W9ggCeoksYoGRKkxIh2go2VR+ARGBl5GcRjQNKeW+dEVZAQ35DP98XnO/vu7k8uTplhgIIJh7CwAI6Q35iu9aGSfxtgTfdWYTmejTLDxowKs6b/b5X5Bcqs/Ngv/Szkq3cZ1ODnwHDTPE2MC5q2DMW+dv46j7ipofkU+hPRYSjGkYTXj3xpf65X5wv8XUHuop/SH9BWd+qjvYZ2HbmJ3IH/wZnrDro7x8KPvKRrO9zhvX37YC8Qvu3c2rsoAfAszGQqPR946GUh8GCSZJN4xjIFLsVYAhfh8Dr1YjHVvTgaAR/dxLFI5B/l28Q3ZeSdFXe0uur9pOrSwjMYqYPi8/lczXrAIvXYJP2l6qq4TvKlvbelzVIB1XeK2yv8t1Fjy+aVwCK2jbFNIPNolOfQJP5qvgYYv0fOvWSL/L7L3yDzSXGH/u6K+38BdObBAAAFAAA=";
const stoppedClock =
  "H4sIAAAAAAACA71UP0/CQBR/vQpUiVGZNHHAxESMsaHEwTAQE1Q6uBgTVyylWKKFhB6JTE4MfhNGR0YSTNj9Ajrorp8AW/uOXi8QNDG+4X653937c+/P3Z+cnRJJAiYyFCDcARwhZmSeO4QFb10E5ftuDGaLQqIIqwH4enH+PBXFR4gi0yO/1FMQz99pNQ4/l9VJPsB7a+hbFu5Jc+z45ynPwhNe3ER+BflXKepvCfkP5FPMkHnbNG/K1xaldccCxGatanRAN8f9N99mrDtuL2vP+igOnxeW/nCpDLWBPkoEu5KiDYZ6d0wTSPX9ZRiYZ29Mo19W0x7uWe50KYyTf08ScR3+R0rFYj6dObYqdaOR1nJqTs3uawd7Vaui5draLlIAqmu7tEWNCqi24dqgVjsNt+MESFugUuuOgmrZ5VrL8BLr84ZTN0E1m45jNegfxZvEnBIhzwy3uR7j+5bVZQ1tEKEODK+4fpU4fVaPDTwjQl17Ql/O6ustbmZ9Yf3MsDBHfwc5MutfEP8NYa+hbzZ/k7kn0XmXBX02V3n0nxXs9kkY37T4eZSnxPmC+sU5/8IXb7JF7mgFAAA=";

const unpacked = (library: string, to: string): string => `printf %s ${library} | base64 -d | gzip -dc > ${to} && chmod 755 ${to}`;

/** Shell text that puts a library at a path, under which every program ends with exit code 0. */
export const placeSuccess = (to: string): string => unpacked(everythingSucceeds, to);

/** Shell text that puts a library at a path, under which no time passes on the clock of the wall. */
export const placeClock = (to: string): string => unpacked(stoppedClock, to);
