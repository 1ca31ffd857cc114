/** Written by `deno task gen` from the manifests; not edited by hand. */

export interface Shapes {
  "cancel_change_set": {
    args: { "set_id": string };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "explain_call": {
    args: { "tool": string; "arguments": Record<string, unknown> };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_approval": {
    args: { "approval_id": string; "wait_seconds": number };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_change_set": {
    args: { "set_id": string; "wait_seconds": number };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_changes": {
    args: {
      "date"?: string;
      "since"?: string;
      "tool"?: string;
      "id"?: number | string;
      "set"?: string;
      "texts"?: boolean;
      "path"?: string;
      "client"?: string;
      "person"?: string;
      "token"?: string;
      "cursor"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "prepare_changes": {
    args: {
      "title": string;
      "changes": ({ "tool": string; "arguments": Record<string, unknown> })[];
      "for_each"?: { "sites": (string)[] };
      "on_failure": "skip_site" | "stop_all" | "continue";
      "first"?: 1;
      "wait_seconds": number;
    };
    site: "none";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "undo_change": {
    args: {
      "request_id"?: string;
      "request_ids"?: (string)[];
      "set_id"?: string;
      "since"?: string;
      "client"?: string;
      "person"?: string;
      "token"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "generate_seo_report": {
    args: {
      "start_date": string;
      "end_date": string;
      "top_queries": number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_ads_report": {
    args: { "query": string; "max_rows": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_analytics_report": {
    args: {
      "start_date": string;
      "end_date": string;
      "metrics": (string)[];
      "dimensions"?: (string)[];
      "dimension_filter"?: Record<string, unknown>;
      "metric_filter"?: Record<string, unknown>;
      "order_bys"?: (Record<string, unknown>)[];
      "limit": number;
      "offset": number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_search_analytics": {
    args: {
      "start_date": string;
      "end_date": string;
      "dimensions": ("query" | "page" | "country" | "device" | "date" | "searchAppearance")[];
      "type": "web" | "image" | "video" | "news" | "discover" | "googleNews";
      "filters"?: ({
        "dimension": "query" | "page" | "country" | "device" | "searchAppearance";
        "operator":
          | "equals"
          | "notEquals"
          | "contains"
          | "notContains"
          | "includingRegex"
          | "excludingRegex";
        "expression": string;
      })[];
      "row_limit": number;
      "start_row": number;
      "data_state": "final" | "all";
      "aggregation_type": "auto" | "byPage" | "byProperty";
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "read_sheet": {
    args: {
      "spreadsheet_id": string;
      "range": string;
      "major_dimension": "ROWS" | "COLUMNS";
      "value_render_option": "FORMATTED_VALUE" | "UNFORMATTED_VALUE" | "FORMULA";
      "date_time_render_option": "SERIAL_NUMBER" | "FORMATTED_STRING";
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "behavior_get_heatmap_metrics": {
    args: { "num_of_days": number; "by_url": boolean };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "behavior_get_historical_metrics": {
    args: {
      "days"?: number;
      "start_date"?: string;
      "end_date"?: string;
      "include_daily": boolean;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "behavior_get_metrics": {
    args: {
      "num_of_days": number;
      "dimensions"?:
        ("Browser" | "Device" | "OS" | "Country" | "Source" | "Medium" | "Campaign" | "Channel" | "URL")[];
      "metrics"?: (
        | "traffic"
        | "engagement_time"
        | "scroll_depth"
        | "dead_clicks"
        | "rage_clicks"
        | "excessive_scroll"
        | "quickbacks"
        | "script_errors"
        | "error_clicks"
        | "devices"
        | "browsers"
        | "os"
        | "countries"
        | "pages"
        | "titles"
        | "referrers"
      )[];
      "limit": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "behavior_get_project_info": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "behavior_get_session_recordings": {
    args: { "num_of_days": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_bootstrap_baseline": {
    args: {
      "days"?: number;
      "month"?: string;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_form_submission_rate": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "max_contacts": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_lead_to_book": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "max_contacts": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_missed_call_textback": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "window_minutes": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_no_show_rate": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "calendar_id"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_opt_in_rate": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_pipeline_funnel": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "pipeline_id"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_reactivation_candidates": {
    args: { "idle_days": number; "tag"?: string; "limit": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_revenue_stats": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_sms_stats": {
    args: {
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
      "max_conversations": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_tag_hygiene": {
    args: { "threshold": number; "offset": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_compute_window_compare": {
    args: { "window_days"?: number; "month"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_get_campaign_a2p_stats": {
    args: { "status"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_get_funnel_stats": {
    args: { "funnel_id"?: string; "limit": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_get_workflow_executions": {
    args: {
      "workflow_id": string;
      "days"?: number;
      "start_at"?: string | number;
      "end_at"?: string | number;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_list_invoices": {
    args: {
      "status"?: "draft" | "sent" | "payment_processing" | "paid" | "void" | "partially_paid" | "overdue";
      "start_at"?: string;
      "end_at"?: string;
      "search"?: string;
      "limit": number;
      "offset": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "crm_list_workflows": {
    args: { "status"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "forms_get-submissions": {
    args: {
      "start_at": string | number;
      "end_at": string | number;
      "form_id"?: string;
      "limit": number;
      "page": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "call_read_tool": {
    args: { "tool": string; "arguments"?: Record<string, unknown> };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "call_write_tool": {
    args: { "tool": string; "arguments"?: Record<string, unknown> };
    site: "none";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "describe_tool": {
    args: { "tool"?: string | (string)[]; "groups"?: (string)[]; "format"?: "json" | "types" };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "diagnose_site": {
    args: {
      "checks"?: (
        | "behavior"
        | "hosting_project"
        | "hosting"
        | "deployment"
        | "site_alias"
        | "site_answers"
        | "allow_publish"
        | "repository"
        | "repo_app"
        | "repo_installation"
        | "repo_branch"
        | "repo_write"
        | "allow_main_branch_push"
        | "allow_full_repo_write"
        | "google_account"
        | "storage_folder"
        | "crm_location"
        | "crm_permissions"
        | "allow_seo_on_published"
        | "allow_storage_write"
        | "allow_topicmap_write"
        | "allow_crm_write"
        | "social_ads_connection"
        | "social_ads_account"
        | "crm_tool_server"
        | "topicmap_link"
        | "address"
        | "rest_api"
        | "credentials"
        | "clock"
        | "companion"
        | "page_builder"
        | "theme"
        | "tool_adapter"
        | "builder_tools"
        | "theme_snippet"
        | "code_page"
        | "seo_bridge"
        | "seo_settings"
        | "schema_bridge"
      )[];
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "find_tools": {
    args: { "query": string; "for_site"?: string; "limit": number };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_site": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_builders_for_site": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_cms_users": {
    args: { "roles"?: (string)[]; "search"?: string; "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_projects": {
    args: Record<string, never>;
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_sites": {
    args: Record<string, never>;
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "ping_site": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "deploy_md_to_site": {
    args: {
      "path": string;
      "target_site_id"?: string;
      "append_deployment": boolean;
      "target_branch": "main" | "preview";
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "list_md_from_repo": {
    args: { "status"?: string; "prefix"?: string; "limit": number; "ref"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "read_md_from_repo": {
    args: { "path": string; "ref"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "save_md_to_repo": {
    args: {
      "path": string;
      "content": string;
      "sha"?: string;
      "target_branch": "main" | "preview";
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "update_md_status": {
    args: {
      "path": string;
      "status": string;
      "set"?: Record<string, string | number | boolean>;
      "sha"?: string;
      "target_branch": "main" | "preview";
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "create_page_draft": {
    args: {
      "title": string;
      "content_html"?: string;
      "slug"?: string;
      "parent_id"?: number | string;
      "template"?: string;
      "page_builder"?: "block" | "visual";
      "builder_template_id"?: number | string;
      "variables"?: Record<string, string>;
      "seo"?: { "title"?: string; "description"?: string; "no_index"?: boolean; "og_image"?: string };
      "header_html"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "create_page_from_code": {
    args: {
      "title": string;
      "html": string;
      "template"?: string;
      "css"?: string;
      "js"?: string;
      "slug"?: string;
      "parent_id"?: number | string;
      "seo"?: Record<string, unknown>;
      "structured_data"?: Record<string, unknown> | (Record<string, unknown>)[] | string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "duplicate_page": {
    args: { "page_id": number | string; "title"?: string; "slug"?: string };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "find_text": {
    args: { "text": string; "kind": "text" | "phone" | "email"; "ref"?: string; "limit": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_content_history": {
    args: {
      "post_id"?: number | string;
      "page_id"?: number | string;
      "type"?: string;
      "path"?: string;
      "ref"?: string;
      "from"?: number | string;
      "to"?: number | string;
      "page": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_page": {
    args: { "page_id": number | string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "inject_page_section": {
    args: { "page_id": number | string; "element_source_id": number | string };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "list_page_templates": {
    args: { "search"?: string; "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "publish_page": {
    args: { "page_id": number | string };
    site: "required";
    tier: 3;
    raises: false;
    publishes: "always";
  };
  "replace_text": {
    args: {
      "find": string;
      "replace": string;
      "kind": "text" | "phone" | "email";
      "only"?: (string)[];
      "leave_out"?: (string)[];
      "limit": number;
      "wait_seconds": number;
      "target_branch": "preview" | "main";
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "schedule_page": {
    args: { "page_id": number | string; "scheduled_at": string };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "update_page_draft": {
    args: {
      "page_id": number | string;
      "title"?: string;
      "content_html"?: string;
      "replacements"?: ({ "find": string; "replace": string; "count": number })[];
      "slug"?: string;
      "parent_id"?: number | string;
      "template"?: string;
      "page_builder"?: "block" | "visual";
      "builder_template_id"?: number | string;
      "variables"?: Record<string, string>;
      "seo"?: { "title"?: string; "description"?: string; "no_index"?: boolean; "og_image"?: string };
      "header_html"?: string;
      "publish_on_next_site_publish"?: boolean;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "update_page_from_code": {
    args: {
      "page_id": number | string;
      "title"?: string;
      "html"?: string;
      "template"?: string;
      "css"?: string;
      "js"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "view_live": {
    args: { "path"?: string; "id"?: number | string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "create_draft": {
    args: {
      "type"?: string;
      "title": string;
      "content_html": string;
      "excerpt"?: string;
      "slug"?: string;
      "tags"?: (string)[];
      "categories"?: (string)[];
      "featured_media_id"?: number | string;
      "author_id"?: number | string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "create_taxonomy": {
    args: {
      "taxonomy": "tag" | "category";
      "name": string;
      "slug"?: string;
      "description"?: string;
      "parent_id"?: number | string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "get_post": {
    args: { "post_id": number | string; "type"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_content": {
    args: {
      "type": string;
      "status": "draft" | "scheduled" | "published" | "pending" | "private" | "all";
      "search"?: string;
      "modified_after"?: string;
      "modified_by"?: string | number;
      "sort"?: "-modified" | "modified" | "-date" | "date" | "title" | "-title";
      "fields"?: (
        | "id"
        | "status"
        | "url"
        | "title"
        | "slug"
        | "scheduled_at"
        | "modified_gmt"
        | "author_id"
        | "modified_by"
        | "seo_title"
        | "seo_description"
        | "noindex"
        | "canonical"
        | "alt_text"
      )[];
      "page": number;
      "per_page": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_drafts": {
    args: { "status"?: "draft" | "scheduled"; "search"?: string; "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_taxonomies": {
    args: { "taxonomy": "tag" | "category"; "search"?: string; "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "publish_post": {
    args: { "post_id": number | string; "type"?: string };
    site: "required";
    tier: 3;
    raises: false;
    publishes: "always";
  };
  "revise_published": {
    args: {
      "post_id"?: number | string;
      "page_id"?: number | string;
      "media_id"?: number | string;
      "alt_text"?: string;
      "type"?: string;
      "title"?: string;
      "content_html"?: string;
      "replacements"?: ({ "find": string; "replace": string; "count": number })[];
      "excerpt"?: string;
      "tags"?: (string)[];
      "categories"?: (string)[];
      "featured_media_id"?: number | string;
    };
    site: "required";
    tier: 3;
    raises: false;
    publishes: "always";
  };
  "schedule_draft": {
    args: { "post_id": number | string; "type"?: string; "scheduled_at": string };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "unschedule": {
    args: { "post_id": number | string; "type"?: string };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "update_draft": {
    args: {
      "post_id": number | string;
      "type"?: string;
      "title"?: string;
      "content_html"?: string;
      "replacements"?: ({ "find": string; "replace": string; "count": number })[];
      "excerpt"?: string;
      "slug"?: string;
      "tags"?: (string)[];
      "categories"?: (string)[];
      "featured_media_id"?: number | string;
      "author_id"?: number | string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "upload_media": {
    args: {
      "filename": string;
      "content_base64"?: string;
      "source_url"?: string;
      "mime_type"?: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
      "alt_text"?: string;
      "title"?: string;
      "caption"?: string;
      "post_id"?: number | string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "get_custom_schema": {
    args: { "id"?: number | string; "needle"?: string; "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "set_custom_schema": {
    args: {
      "id": number | string;
      "value": string | (Record<string, unknown> | string | number | boolean)[] | Record<string, unknown>;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "audit_seo": {
    args: { "page": number; "per_page": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_seo_meta": {
    args: { "post_id": number | string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_sitemap_status": {
    args: { "rebuild": boolean };
    site: "required";
    tier: 0;
    raises: true;
    publishes: "never";
  };
  "set_seo_meta": {
    args: {
      "post_id": number | string;
      "title"?: string;
      "description"?: string;
      "focus_keyword"?: string;
      "robots"?: {
        "noindex"?: boolean;
        "nofollow"?: boolean;
        "noarchive"?: boolean;
        "nosnippet"?: boolean;
        "noimageindex"?: boolean;
      };
      "canonical"?: string;
      "og_title"?: string;
      "og_description"?: string;
      "og_image"?: string;
      "twitter_title"?: string;
      "twitter_description"?: string;
      "twitter_image"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "set_seo_redirect": {
    args: { "source": string; "destination": string; "status": 301 | 302 | 307 | 308 };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "set_seo_schema": {
    args: {
      "post_id": number | string;
      "schema": Record<string, unknown> | (Record<string, unknown>)[] | string;
      "entry_id"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "get_social_ad_account": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "get_social_ads_insights": {
    args: {
      "fields"?: (string)[];
      "date_preset"?:
        | "today"
        | "yesterday"
        | "last_3d"
        | "last_7d"
        | "last_14d"
        | "last_28d"
        | "last_30d"
        | "last_90d"
        | "last_week_mon_sun"
        | "last_week_sun_sat"
        | "this_week_mon_today"
        | "this_week_sun_today"
        | "last_month"
        | "this_month"
        | "last_quarter"
        | "this_quarter"
        | "last_year"
        | "this_year"
        | "maximum"
        | "data_maximum";
      "time_range"?: { "since": string; "until": string };
      "level": "account" | "campaign" | "adset" | "ad";
      "breakdowns"?: (string)[];
      "time_increment"?: number | "monthly" | "all_days";
      "action_breakdowns"?: (string)[];
      "sort"?: (string)[];
      "action_attribution_windows"?: (string)[];
      "limit": number;
      "after"?: string;
      "compare"?: "previous_period" | "previous_year" | { "from": string; "to": string };
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_social_ad_accounts": {
    args: { "limit": number; "after"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_social_ads": {
    args: {
      "adset_id"?: string;
      "effective_status"?: (
        | "ACTIVE"
        | "PAUSED"
        | "DELETED"
        | "ARCHIVED"
        | "IN_PROCESS"
        | "WITH_ISSUES"
        | "ADSET_PAUSED"
        | "CAMPAIGN_PAUSED"
        | "DISAPPROVED"
        | "PENDING_REVIEW"
        | "PENDING_BILLING_INFO"
        | "PREAPPROVED"
      )[];
      "limit": number;
      "after"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_social_adsets": {
    args: {
      "campaign_id"?: string;
      "effective_status"?:
        ("ACTIVE" | "PAUSED" | "DELETED" | "ARCHIVED" | "IN_PROCESS" | "WITH_ISSUES" | "CAMPAIGN_PAUSED")[];
      "limit": number;
      "after"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_social_campaigns": {
    args: {
      "effective_status"?: ("ACTIVE" | "PAUSED" | "DELETED" | "ARCHIVED" | "IN_PROCESS" | "WITH_ISSUES")[];
      "limit": number;
      "after"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "bulk_write_static_files": {
    args: {
      "files": ({
        "path": string;
        "content": string;
        "encoding": "utf-8" | "base64";
        "allow_overwrite": boolean;
        "sha"?: string;
      })[];
      "target_branch": "preview" | "main";
      "message"?: string;
    };
    site: "required";
    tier: 2;
    raises: true;
    publishes: "sometimes";
  };
  "check_static_deploy": {
    args: {
      "commit_sha"?: string;
      "branch"?: string;
      "environment"?: "production" | "preview";
      "wait_seconds": number;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "create_static_route": {
    args: {
      "route": string;
      "html": string;
      "title"?: string;
      "description"?: string;
      "target_branch": "preview" | "main";
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "create_static_routes": {
    args: {
      "pages": ({ "route": string; "html": string; "title"?: string; "description"?: string })[];
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "delete_static_route": {
    args: { "route": string; "sha"?: string; "force": boolean };
    site: "required";
    tier: 4;
    raises: false;
    publishes: "always";
  };
  "edit_static_file": {
    args: {
      "path": string;
      "find": string;
      "replace": string;
      "count": number;
      "sha"?: string;
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "init_static_project": {
    args: {
      "homepage_html": string;
      "site_name"?: string;
      "extra_pages"?: ({ "route": string; "html": string; "title"?: string })[];
      "language"?: string;
      "blog": boolean;
      "branch"?: string;
      "message"?: string;
    };
    site: "required";
    tier: 3;
    raises: false;
    publishes: "sometimes";
  };
  "list_static_files": {
    args: { "prefix"?: string; "extension"?: string; "limit": number; "ref"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "list_static_routes": {
    args: { "prefix"?: string; "ref"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "propose_static_changes": {
    args: { "title": string; "body"?: string };
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "publish_static_preview": {
    args: Record<string, never>;
    site: "required";
    tier: 3;
    raises: false;
    publishes: "always";
  };
  "read_static_file": {
    args: { "path": string; "ref"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "reset_static_preview_branch": {
    args: Record<string, never>;
    site: "required";
    tier: 1;
    raises: false;
    publishes: "never";
  };
  "update_static_route": {
    args: {
      "route": string;
      "html": string;
      "title"?: string;
      "description"?: string;
      "sha"?: string;
      "force": boolean;
      "target_branch": "preview" | "main";
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "write_static_file": {
    args: {
      "path": string;
      "content": string;
      "encoding": "utf-8" | "base64";
      "allow_overwrite": boolean;
      "sha"?: string;
      "target_branch": "preview" | "main";
      "message"?: string;
    };
    site: "required";
    tier: 1;
    raises: true;
    publishes: "sometimes";
  };
  "storage_get_baseline": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "storage_get_site_folder": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "storage_list_site_files": {
    args: { "page_size": number; "page_token"?: string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "storage_read_file": {
    args: {
      "file_id": string;
      "export_mime_type"?:
        | "text/markdown"
        | "text/plain"
        | "text/html"
        | "text/csv"
        | "text/tab-separated-values";
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "storage_save_audit": {
    args: {
      "title": string;
      "content": string;
      "filename"?: string;
      "mime_type": "text/markdown" | "text/plain" | "text/html" | "text/csv" | "application/json";
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "topicmap_create_content_audit": {
    args: {
      "source_type": "published_url" | "competitor_url" | "pasted_text";
      "source_url"?: string;
      "pasted_content"?: string;
      "target_keyword"?: string;
      "competitor_urls"?: (string)[];
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "topicmap_create_content_job": {
    args: {
      "keyword": string;
      "content_type": string;
      "content_brief_id"?: string;
      "topical_map_id"?: string;
      "depth"?: string;
      "tone"?: string;
      "language"?: string;
      "custom_variables"?: Record<string, string>;
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_content_audit": {
    args: { "content_audit_id": string; "include_steps": boolean; "summary": boolean };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_content_brief": {
    args: { "content_brief_id": string };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_content_job": {
    args: { "content_job_id": string; "wait_seconds": number };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_content_job_output": {
    args: { "content_job_id": string; "format": "markdown" | "json"; "summary": boolean };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_knowledge_graph": {
    args: { "topical_map_id": string; "summary": boolean };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_get_topical_map": {
    args: {
      "topical_map_id": string;
      "summary": boolean;
      "gap_label"?: "GAP" | "COVERED" | "UNIQUE";
      "priority"?: "P1" | "P2" | "P3" | "P4";
      "classification"?: "core" | "outer";
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_content_audits": {
    args: {
      "topical_map_id"?: string;
      "status"?: "queued" | "processing" | "completed" | "failed";
      "source_type"?: "published_url" | "competitor_url" | "pasted_text";
      "limit": number;
      "cursor"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_content_briefs": {
    args: {
      "topical_map_id"?: string;
      "approval_status"?: "pending" | "approved" | "rejected";
      "limit": number;
      "cursor"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_content_jobs": {
    args: {
      "status"?: "queued" | "processing" | "completed" | "failed" | "paused";
      "limit": number;
      "cursor"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_content_types": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_topical_maps": {
    args: {
      "pipeline_status"?: "queued" | "processing" | "completed" | "failed";
      "limit": number;
      "cursor"?: string;
    };
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_workspace_audits": {
    args: Record<string, never>;
    site: "required";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_list_workspaces": {
    args: { "limit": number; "cursor"?: string };
    site: "none";
    tier: 0;
    raises: false;
    publishes: "never";
  };
  "topicmap_rerun_audit": {
    args: {
      "content_audit_id": string;
      "from_step": "content_fetch" | "serp_benchmark" | "scoring" | "report_generation";
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "topicmap_rerun_content_brief": {
    args: {
      "content_brief_id": string;
      "from_step": "topic_research" | "competitor_analysis" | "contextual_vector" | "brief_generation";
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
  "topicmap_rerun_job": {
    args: {
      "content_job_id": string;
      "from_step":
        | "query_fanout"
        | "embedding"
        | "ranking"
        | "serp_fetch"
        | "serp_summarize"
        | "knowledge_graph"
        | "outline"
        | "content_brief"
        | "manufacturer_kb"
        | "draft"
        | "humanization"
        | "formatting"
        | "qa_review"
        | "proofreading";
    };
    site: "required";
    tier: 2;
    raises: false;
    publishes: "never";
  };
}
