// Erase the types of each text in a list by other programs: the one that Node has built in (or its package), and the one
// that blanks by TypeScript's own tree. Also print what TypeScript makes of the text, and of what we left of it.
// Usage: node erase_types.mjs NODE_MODULES < list of [source, ours or null]
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";

const require = nodeModule.createRequire(`${process.argv[2]}/`);
const ts = require("typescript");
const { default: blank } = await import(pathToFileURL(require.resolve("ts-blank-space")).href);
const amaro = require("amaro");

function strip(source) {
  try {
    if (nodeModule.stripTypeScriptTypes) return nodeModule.stripTypeScriptTypes(source, { mode: "strip" });
    return amaro.transformSync(source, { mode: "strip-only" }).code;
  } catch {
    return null;
  }
}

function blanked(source) {
  let refused = false;
  try {
    const made = blank(source, () => (refused = true));
    return refused ? null : made;
  } catch {
    return null;
  }
}

const words = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, allowJs: true, removeComments: true };
function printed(source, name) {
  const made = ts.transpileModule(source, { fileName: name, compilerOptions: words }).outputText;
  return made.replace(/^\s*;\s*$/gm, "").replace(/^export \{\s*\};?$/gm, "").replace(/\n+/g, "\n").trim();
}

const found = JSON.parse(readFileSync(0, "utf8")).map(([source, ours]) => ({
  strip: strip(source),
  blank: blanked(source),
  printed: printed(source, "a.ts"),
  ours: ours === null ? null : printed(ours, "a.js"),
}));
process.stdout.write(JSON.stringify(found));
