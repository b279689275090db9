// Settings as a form has them: texts that a person types, and back.
import type { Settings } from "../../../../clients/typescript/src/schema.ts";

export interface Draft {
  provider: string;
  directory: string;
  readOnly: boolean;
  quota: string;
  maxFile: string;
  deny: string;
  protect: string;
  requests: string;
  bytes: string;
  reads: string;
  watches: string;
  processes: string;
  otherwise: "allow" | "ask" | "deny";
  waitSeconds: string;
  rules: { operation: string; path: string; command: string; then: "allow" | "ask" | "deny" }[];
  redacts: boolean;
  patterns: { name: string; regex: string; replacement?: string }[];
  excludePaths: string;
  gitUrl: string;
  gitBranch: string;
  gitCredential: string;
}

const MB = 1_000_000;

export function drafted(settings: Settings): Draft {
  const number = (value: number | undefined, unit = 1) => (value === undefined ? "" : String(value / unit));
  const { limits = {}, redaction = {}, approvals = {}, git } = settings;
  return {
    provider: settings.provider ?? "local",
    directory: settings.directory ?? "",
    readOnly: settings.readOnly ?? false,
    quota: number(settings.quotaBytes, MB),
    maxFile: number(settings.maxFileBytes, MB),
    deny: (settings.deny ?? []).join("\n"),
    protect: (settings.protect ?? []).join("\n"),
    requests: number(limits.requestsPerMinute),
    bytes: number(limits.bytesPerMinute, MB),
    reads: number(limits.concurrentReads),
    watches: number(limits.watches),
    processes: number(limits.processes),
    otherwise: approvals.otherwise ?? "allow",
    waitSeconds: number(approvals.waitMs, 1_000),
    rules: (approvals.rules ?? []).map((rule) => ({ operation: rule.operation, path: rule.path ?? "", command: rule.command ?? "", then: rule.then })),
    redacts: redaction.enabled ?? true,
    patterns: (redaction.customPatterns ?? []).map((pattern) => ({ ...pattern })),
    excludePaths: (redaction.excludePaths ?? []).join("\n"),
    gitUrl: git?.url ?? "",
    gitBranch: git?.branch ?? "",
    gitCredential: git?.credential ?? "",
  };
}

/** The settings that a draft means; beside `before`, null takes back what is gone. What no field shows stays. */
export function asSettings(draft: Draft, before: Settings | undefined): Record<string, unknown> {
  const number = (text: string, unit = 1) => (text.trim() === "" ? undefined : Math.round(Number(text) * unit));
  const lines = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const some = (list: unknown[]) => (list.length === 0 ? undefined : list);
  const given = (object: Record<string, unknown>) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  const text = (value: string) => (value.trim() === "" ? undefined : value.trim());
  const settings: Record<string, unknown> = {
    provider: draft.provider,
    directory: text(draft.directory),
    readOnly: draft.readOnly,
    quotaBytes: number(draft.quota, MB),
    maxFileBytes: number(draft.maxFile, MB),
    deny: some(lines(draft.deny)),
    protect: some(lines(draft.protect)),
    limits: given({
      requestsPerMinute: number(draft.requests),
      bytesPerMinute: number(draft.bytes, MB),
      concurrentReads: number(draft.reads),
      watches: number(draft.watches),
      processes: number(draft.processes),
    }),
    redaction: given({
      ...before?.redaction,
      enabled: draft.redacts,
      customPatterns: some(draft.patterns),
      excludePaths: some(lines(draft.excludePaths)),
    }),
    approvals: given({
      otherwise: draft.otherwise,
      waitMs: number(draft.waitSeconds, 1_000),
      rules: some(draft.rules.map((rule) => given({ operation: rule.operation.trim(), path: text(rule.path), command: text(rule.command), then: rule.then }))),
    }),
    git: text(draft.gitUrl) === undefined ? undefined : given({ url: text(draft.gitUrl), branch: text(draft.gitBranch), credential: text(draft.gitCredential) }),
  };
  if (before === undefined) return given(settings);
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined) continue;
    if (name in before) settings[name] = null;
    else delete settings[name];
  }
  return settings;
}
