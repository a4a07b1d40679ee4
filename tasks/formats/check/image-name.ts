const part = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const host = "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(?::\\d+)?";
const reference = new RegExp(`^(?:${host}/)?${part}(?:/${part})*(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][\\w+.-]*:[0-9A-Fa-f]{32,})?$`);

/** What is expected of an image's name, for messages. */
export const imageNameIs = 'the name of an image, such as "debian:bookworm" or "registry.example/team/task:1"';

/** Whether an engine would take it for an image: `[host[:port]/]name[:tag][@digest]`, as the distribution project's reference grammar has it. */
export const isImageName = (text: string): boolean => text.length <= 4096 && reference.test(text);
