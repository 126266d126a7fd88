// Says what a plugin's default export holds, by kinds alone: what follows from it is plugseal's to decide.

import { isMemoryBackend } from "./words.mjs";

const SINGLES = ["system", "policy", "context", "route", "status"];
const MAPS = ["hooks", "variants", "metrics", "graders"];

function kind(value) {
  if (value === null || value === undefined) return "nothing";
  return Array.isArray(value) ? "list" : typeof value;
}

function kinds(value) {
  return kind(value) === "object" ? Object.fromEntries(Object.keys(value).map((key) => [key, kind(value[key])])) : {};
}

function text(value) {
  return typeof value === "string" ? value : null;
}

function items(value, make) {
  return Array.isArray(value) ? value.map((item) => (kind(item) === "object" ? make(item) : null)) : [];
}

const tool = (one) => ({
  name: text(one.name),
  description: text(one.description),
  schema: kind(one.schema) === "object" ? one.schema : null,
  readOnly: one.readOnly === true,
  risky: one.risky === true,
  run: kind(one.run),
});
const command = (one) => ({ name: text(one.name), help: text(one.help), run: kind(one.run) });
const gate = (one) => ({
  name: text(one.name),
  maxRejections: typeof one.maxRejections === "number" ? one.maxRejections : null,
  check: kind(one.check),
});
const evalCase = (one) => ({
  name: text(one.name),
  task: text(one.task),
  check: kind(one.check),
  setup: kind(one.setup),
  verify: text(one.verify),
  solution: kind(one.solution),
  tools: items(one.tools, tool),
});

function variant(value) {
  const off = Array.isArray(value.off) ? value.off.filter((name) => typeof name === "string") : [];
  const plugins = Array.isArray(value.plugins) ? value.plugins.filter((name) => typeof name === "string") : [];
  return {
    off,
    plugins,
    maxSteps: typeof value.maxSteps === "number" ? value.maxSteps : null,
    verify: value.verify !== false,
    review: value.review === true,
    system: kind(value.system),
    build: kind(value.build),
  };
}

export const made = { memory: undefined };

async function memory(value, cwd) {
  if (value === undefined || value === null) return "nothing";
  made.memory = typeof value === "function" ? await value(cwd) : value;
  return isMemoryBackend(made.memory) ? "memory" : "no-memory";
}

export async function describe(plugin, cwd) {
  if (kind(plugin) !== "object") return { export: kind(plugin) };
  const variants = kind(plugin.variants) === "object" ? Object.entries(plugin.variants) : [];
  return {
    export: "object",
    name: plugin.name === undefined ? null : plugin.name,
    description: text(plugin.description),
    failClosed: plugin.failClosed === true,
    kinds: Object.fromEntries([...SINGLES, ...MAPS, "tools", "commands", "gates", "cases"].map((key) => [key, kind(plugin[key])])),
    hooks: kinds(plugin.hooks),
    metrics: kinds(plugin.metrics),
    graders: kinds(plugin.graders),
    tools: items(plugin.tools, tool),
    commands: items(plugin.commands, command),
    gates: items(plugin.gates, gate),
    cases: items(plugin.cases, evalCase),
    variants: Object.fromEntries(variants.filter(([, one]) => kind(one) === "object").map(([key, one]) => [key, variant(one)])),
    memory: await memory(plugin.memory, cwd),
  };
}
