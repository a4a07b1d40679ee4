// The viewer's pages: `npm run build` puts them beside the compiled server, and the package ships only that.
/** @type {import("vite").UserConfig} */
export default {
  base: "/",
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    sourcemap: false,
    reportCompressedSize: false,
    license: { fileName: "licences.md" },
  },
};
