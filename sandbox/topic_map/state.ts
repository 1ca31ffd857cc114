/** What the topic-planning service remembers: workspaces, and in each maps, graphs, briefs, audits and jobs. */
import { type Ending, type Kind, type Running } from "./runs.ts";

/** A workspace, and what the bot may do there. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly role: "viewer" | "editor";
  readonly created_at: string;
}

/** What every object of a workspace has. */
export interface Item {
  readonly id: string;
  workspace_id: string;
  readonly created_at: string;
}

/** A map's whole export. */
export interface TopicalMap extends Item {
  pipeline_status: string;
  readonly [field: string]: unknown;
}

export interface Graph {
  readonly topical_map_id: string;
  readonly workspace_id: string;
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}

export interface Brief extends Item, Running {
  title: string;
  readonly target_keyword: string;
  approval_status: "pending" | "approved" | "rejected";
  readonly topical_map_id: string | null;
  updated_at: string;
}

export interface Audit extends Item, Running {
  readonly source_type: string;
  readonly source_url: string | null;
  readonly topical_map_id: string | null;
  readonly competitor_urls: readonly string[];
  readonly findings: number;
}

export interface ReviewItem {
  readonly id: string;
  readonly step: string;
  readonly severity: string;
  readonly message: string;
  readonly resolved: boolean;
}

export interface Job extends Item, Running {
  readonly title: string;
  keyword: string;
  readonly content_type: string;
  readonly content_brief_id: string | null;
  readonly topical_map_id: string | null;
  readonly depth: string | null;
  readonly tone: string | null;
  readonly language: string | null;
  readonly custom_variables: Readonly<Record<string, string>>;
  readonly review_items: readonly ReviewItem[];
  /** Whether a run before this one was completed: its output stays. */
  written: boolean;
  updated_at: string;
}

/** What was answered to a key, so that the same request is carried out once. */
export interface Kept {
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}

/** All of it. */
export interface TopicMapState {
  readonly bot_token: string;
  /** In milliseconds. */
  readonly now: () => number;
  readonly workspaces: Workspace[];
  readonly maps: TopicalMap[];
  readonly graphs: Graph[];
  readonly briefs: Brief[];
  readonly audits: Audit[];
  readonly jobs: Job[];
  /** How runs to come end, oldest first; the rest go through. */
  readonly endings: Record<Kind, Ending[]>;
  readonly keys: Map<string, Kept>;
  /** Counts what is made. */
  made: number;
}

/** The types of content there are. */
export const CONTENT_TYPES = {
  data: [
    {
      key: "blog_article",
      name: "Blog article",
      description: "An article of a blog",
      depths: ["standard", "deep"],
      tones: ["neutral", "friendly"],
      templateFields: [],
    },
    {
      key: "product_page",
      name: "Product page",
      description: "A page that sells one product",
      depths: ["standard"],
      tones: ["neutral"],
      templateFields: [
        { key: "product_name", label: "Product name", required: true },
        { key: "manufacturer", label: "Manufacturer", required: true },
        { key: "warranty", label: "Warranty", required: false },
      ],
    },
  ],
  depths: ["standard", "deep"],
  tones: ["neutral", "friendly"],
} as const;

/** How the next run of that kind ends. */
export const nextEnding = (state: TopicMapState, kind: Kind): Ending =>
  state.endings[kind].shift() ?? { kind: "completed" };
