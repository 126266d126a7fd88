// What a plugin may import of Amness, as it is documented: helpers that make nothing but plain objects.

const MEMORY = ["list", "save", "forget", "search", "context", "delta", "endTurn"];

export const definePlugin = (plugin) => plugin;
export const defineTool = (tool) => tool;

export function isMemoryBackend(value) {
  return typeof value === "object" && value !== null && MEMORY.every((name) => typeof value[name] === "function");
}

// Judge what a check returned: { pass, findings }, or undefined where it is nothing that is documented.
export function judged(value) {
  if (value === undefined || value === null || value === true) return { pass: true, findings: [] };
  if (value === false) return { pass: false, findings: ["the check failed"] };
  if (typeof value === "string") return { pass: false, findings: [value] };
  if (Array.isArray(value)) return { pass: value.length === 0, findings: value.map(String) };
  if (typeof value !== "object") return undefined;
  const findings = Array.isArray(value.findings) ? value.findings.map(String) : [];
  if (value.pass !== false) return { pass: true, findings };
  return { pass: false, findings: findings.length ? findings : ["the check failed"] };
}

function needed(quorum, count) {
  if (quorum === "all") return count;
  return typeof quorum === "number" ? quorum : Math.floor(count / 2) + 1;
}

// Join several reviewers to one gate; one that throws counts as a pass, and its error is told.
export function votingGate(name, reviewers, quorum = "majority", maxRejections = undefined) {
  const check = async (ctx) => {
    const said = [];
    const told = [];
    for (const reviewer of reviewers) {
      try {
        const one = judged(await reviewer.review(ctx)) ?? { pass: true, findings: ["gave no verdict"] };
        if (!one.pass) said.push(reviewer.name);
        told.push(...one.findings.map((finding) => `${reviewer.name}: ${finding}`));
      } catch (error) {
        told.push(`${reviewer.name}: failed: ${error instanceof Error ? error.message : error}`);
      }
    }
    const pass = reviewers.length - said.length >= needed(quorum, reviewers.length);
    return { pass, findings: pass ? told : [`said no: ${said.join(", ")}`, ...told] };
  };
  return maxRejections === undefined ? { name, check } : { name, maxRejections, check };
}
