/** Icons come into the page as text (the loader of the build), so that no request is made for them. */
declare module '*.svg' {
  const source: string;
  export default source;
}
