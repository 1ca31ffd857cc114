/** What becomes of each method of the object caches in use while a call is held, and of the values of a network's sites. */
import assert from "node:assert/strict";
import { printed } from "./php.ts";
import { ignore } from "./site.ts";

/** The public methods of drop-ins, read from their sources at these versions. */
const DROP_INS: Readonly<Record<string, string>> = {
  "Redis Object Cache 2.6.3":
    "add add_global_groups add_multiple add_non_persistent_groups add_to_internal_cache add_unflushable_groups build_key decr decrement delete delete_multiple fast_build_key fetch_info flush flush_group flush_runtime get get_from_internal_cache get_multiple incr increment info redis_instance redis_status redis_version replace set set_multiple stats switch_to_blog",
  "WP Redis 1.4.8":
    "add add_global_groups add_non_persistent_groups add_redis_hash_groups build_client_parameters check_client_dependencies decr delete delete_group exception_message_matches flush flush_group get get_multiple incr perform_client_connection prepare_client_connection replace reset retry_exception_messages set stats switch_to_blog wp_action_admin_notices_warn_missing_redis",
  "Memcached 4.0.0 (Automattic)":
    "add add_global_groups add_multiple add_non_persistent_groups close colorize_debug_line decr delete delete_multiple failure_callback flush flush_prefix flush_runtime get get_blog_flush_number get_data_size get_flush_number get_global_flush_number get_group_ops_line get_max_flush_number get_mc get_multi get_multiple get_stats group_ops_stats incr increment_stat js_toggle key memcachedToggleVisibility new_flush_number replace rotate_global_keys rotate_site_keys salt_keys set set_flush_number set_multiple stats strip_memcached_keys switch_to_blog timer_start timer_stop",
  "WordPress PECL Memcached Object Cache 6d9c8d3 (Human Made)":
    "add add_global_groups add_non_persistent_groups add_to_internal_cache addByKey addServer addServers append appendByKey buildKey buildKeys cas casByKey combine_values contains_no_mc_group decr decrement delete deleteAllOptions deleteByKey fetch fetchAll flush get get_from_runtime_cache getAllOptions getByKey getDelayed getDelayedByKey getMulti getMultiByKey getOption getResultCode getResultMessage getServerByKey getServerList getStats getVersion incr increment prepend prependByKey replace replaceByKey sanitize_expiration set setAllOptions setByKey setMulti setMultiByKey setOption switch_to_blog",
  "SQLite Object Cache 1.3.8":
    "add add_global_groups add_multiple add_non_persistent_groups add_unflushable_groups close decr delete delete_multiple flush flush_group flush_runtime get get_cache_type get_multiple incr replace reset set set_multiple set_sqlite_monitoring_options sqlite_delete_old sqlite_files sqlite_get_size sqlite_get_version sqlite_load_statistics sqlite_load_usages sqlite_remove_expired sqlite_reset_statistics sqlite_sizes stats switch_to_blog",
  "WordPress APCu Object Cache 07afdb8 (l3rady)":
    "add add_global_groups add_non_persistent_groups decr delete flush flush_groups flush_sites get get_multi getAbspath getApcuAvailable getBlogPrefix getCacheHits getCacheMisses getGlobalGroups getGroupVersions getMultiSite getNonPersistentCache getNonPersistentGroups getSiteVersions incr replace set stats switch_to_blog",
  "Docket Cache 26.04.04":
    "add add_global_groups add_multiple add_non_persistent_groups add_non_persistent_keys dc_close dc_remove_group dc_remove_group_match decr delete delete_multiple flush get get_multiple incr replace set set_multiple stats switch_to_blog",
  "LiteSpeed Cache 7.9":
    "add add_global_groups add_multiple add_non_persistent_groups debug decr delete delete_multiple flush flush_group flush_runtime get get_multiple incr incr_desr replace set set_multiple switch_to_blog",
  "W3 Total Cache 2.10.2":
    "add add_global_groups add_multiple add_nonpersistent_groups decr delete delete_multiple flush flush_group flush_runtime get get_multiple incr register_cache replace reset set set_multiple supports switch_to_blog",
};

/** What the overlay does by itself. */
const HELD = new Set(
  "add add_multiple close dc_close decr decrement delete delete_multiple flush_runtime get get_multiple incr increment replace reset set set_multiple switch_to_blog"
    .split(" "),
);

/** What empties groups or all: for the call at once, for the site once it is committed. */
const EMPTIED = new Set(
  "dc_remove_group dc_remove_group_match delete_group flush flush_group flush_groups flush_sites".split(" "),
);

/** What only tells something, or sets how this request names its groups. */
const PASSED = new Set(
  "add_global_groups add_non_persistent_groups add_non_persistent_keys add_nonpersistent_groups add_redis_hash_groups add_unflushable_groups build_key buildKey buildKeys fast_build_key get_cache_type get_data_size get_stats getAbspath getApcuAvailable getBlogPrefix getCacheHits getCacheMisses getGlobalGroups getMultiSite getNonPersistentGroups getOption getResultCode getResultMessage getServerByKey getServerList getStats getVersion group_ops_stats increment_stat info key redis_status redis_version sqlite_files sqlite_get_size sqlite_get_version sqlite_load_statistics sqlite_load_usages sqlite_sizes stats supports timer_start timer_stop"
    .split(" "),
);

/** What a method is to become. What may write, or leads to the server of the cache, is refused, and so is any new one. */
function expected(method: string): string {
  if (HELD.has(method)) return "held";
  if (EMPTIED.has(method)) return "emptied";
  return PASSED.has(method) ? "passed" : "refused";
}

interface Printed {
  readonly said: Readonly<Record<string, string>>;
  readonly seen: readonly unknown[];
  readonly forgot: readonly string[];
  readonly blog: number;
}

for (const [dropIn, listed] of Object.entries(DROP_INS)) {
  Deno.test({
    name: `no method of ${dropIn} writes to the site's cache while a call is held`,
    ignore,
    async fn() {
      const methods = listed.split(" ");
      const { said } = await printed<Printed>("cache_methods.php", { methods });
      assert.deepEqual(said, Object.fromEntries(methods.map((method) => [method, expected(method)])));
    },
  });
}

Deno.test({
  name: "on a network of sites each site has its own values, and forgets them after the commit",
  ignore,
  async fn() {
    const { seen, forgot, blog } = await printed<Printed>("cache_methods.php", { methods: [] });
    assert.deepEqual(seen, ["the first site has", "person", "written"]);
    assert.deepEqual([forgot, blog], [["delete 1/posts/6", "delete 2/posts/5", "delete 2/users/7"], 2]);
  },
});
