// Calls each kind of contribution with what Amness documents that it gets, and nothing else.

import { made } from "./describe.mjs";
import { execute } from "./execute.mjs";
import { selftest } from "./selftest.mjs";
import { judged } from "./words.mjs";

// Run a line of shell in this very process's tree, once plugseal says that it was reviewed.
function runner(cwd, ask) {
  return async (cmd, timeoutMs = 60_000) => {
    const line = String(cmd);
    await ask("run", { cmd: line, timeoutMs: Number(timeoutMs) || 0 });
    return execute(line, cwd, Number(timeoutMs));
  };
}

function hook(plugin, { event, payload }) {
  return plugin.hooks[event]({ ...payload, event });
}

async function tool(plugin, { index, args, cwd }) {
  const result = await plugin.tools[index].run(args, { cwd });
  return result === undefined ? null : result;
}

function command(plugin, { index, arg, cwd }, ask) {
  const ctx = {
    cwd,
    say: (text) => ask("say", { text: String(text) }),
    ask: (text) => ask("ask", { text: String(text) }),
    run: runner(cwd, ask),
  };
  return Promise.resolve(plugin.commands[index].run(ctx, arg)).then(() => null);
}

async function gate(plugin, { index, ctx }, ask) {
  const value = await plugin.gates[index].check({ ...ctx, run: runner(ctx.cwd, ask) });
  const verdict = judged(value);
  if (verdict === undefined) throw new Error("its answer is no verdict");
  return verdict;
}

function memory(_plugin, { method, args }) {
  const found = made.memory?.[method];
  if (typeof found === "function") return found.apply(made.memory, args);
  if (method === "warmQuery") return null;
  throw new Error(`its memory has no \`${method}\``);
}

export const METHODS = {
  hook,
  tool,
  command,
  gate,
  memory,
  system: (plugin, { base, ctx }) => plugin.system(base, ctx),
  variantSystem: (plugin, { name, base, ctx }) => plugin.variants[name].system(base, ctx),
  policy: (plugin, { call }) => plugin.policy(call),
  context: (plugin, { messages, info }) => plugin.context(messages, info),
  route: (plugin, { info }) => plugin.route(info),
  status: (plugin, { ctx }) => plugin.status(ctx),
  metric: (plugin, { name, ctx }) => plugin.metrics[name](ctx),
  grader: (plugin, { name, session }) => plugin.graders[name](session),
  selftest: (plugin, { index }) => selftest(plugin.cases[index]),
};
