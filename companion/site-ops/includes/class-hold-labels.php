<?php
/**
 * What kind of change a changed row is.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Labels changed rows; what is not known is "other", which nothing allows by itself. */
final class Hold_Labels {

	/** States in which nobody but editors sees a post. */
	const DRAFTS = array( 'draft', 'pending', 'auto-draft' );

	/** Meta that is made anew from other data, or only says who is editing. */
	const CACHE_META = '/^(_edit_lock|_edit_last|_oembed_.*|_elementor_(css|element_cache|page_assets|controls_usage|inline_svg))$/';

	/** Post types that many pages show. */
	const STRUCTURE_TYPES = array( 'nav_menu_item', 'wp_template', 'wp_template_part', 'wp_global_styles', 'wp_navigation', 'wp_block', 'wp_font_family', 'wp_font_face', 'elementor_library', 'e_global_class' );

	/** Other post types whose label is that of the type. */
	const TYPES = array(
		'custom_css'          => 'site',
		'customize_changeset' => 'site',
		'oembed_cache'        => 'cache',
		'user_request'        => 'people',
		'wpcode'              => 'code',
		'elementor_snippet'   => 'code',
		'custom-css-js'       => 'code',
	);

	/** Options by pattern; the first that fits counts, and "settings" is what the rest is. */
	const OPTIONS = array(
		'/^_(site_)?transient_|^(rewrite_rules|doing_cron)$/' => 'cache',
		// What Elementor makes anew from its own files and the pages' elements, its log of errors, and the site's key, which it
		// makes where there is none.
		'/^(_elementor_(assets_data|element_cache_unique_id)|elementor_(atomic_cache_validity__.+|connect_site_key|log))$/' => 'cache',
		'/^cron$|^action_scheduler_/' => 'schedule',
		'/^(active_plugins|active_sitewide_plugins|template|stylesheet|current_theme|recently_activated|uninstall_plugins|upload_path|auto_update_\w+|auto_plugin_theme_update_emails|site_ops_\w+)$|snippet/' => 'code',
		'/user_roles$|^(users_can_register|default_role|admin_email|new_admin_email|initial_db_version)$/' => 'people',
		'/^(blogname|blogdescription|siteurl|home|show_on_front|page_on_front|page_for_posts|sticky_posts|site_icon|site_logo|blog_public|permalink_structure|category_base|tag_base|timezone_string|gmt_offset|date_format|time_format|WPLANG|wp_page_for_privacy_policy)$/' => 'site',
		'/^(widget_\w+|sidebars_widgets|theme_mods_.*|nav_menu_options|.*_children)$/' => 'structure',
	);

	/** Tables that are not posts, options or meta of posts. */
	const TABLES = array(
		'users'                   => 'people',
		'terms'                   => 'structure',
		'termmeta'                => 'structure',
		'comments'                => 'comments',
		'commentmeta'             => 'comments',
		'snippets'                => 'code',
		'site_ops_holds'          => 'code',
		'actionscheduler_actions' => 'schedule',
		'actionscheduler_claims'  => 'schedule',
	);

	/**
	 * Every changed row.
	 *
	 * @var array
	 */
	private $rows;

	/**
	 * The database.
	 *
	 * @var Hold_Link
	 */
	private $db;

	/**
	 * Names of what belongs to the tool server itself.
	 *
	 * @var string[]
	 */
	private $own;

	/**
	 * Posts that were asked for: label and row.
	 *
	 * @var array[]
	 */
	private $posts = array();

	/**
	 * Makes ready for the rows of one call.
	 *
	 * @param array     $rows As Hold_Database::rows() gives them.
	 * @param Hold_Link $db   The database.
	 * @param string[]  $own  Names of what belongs to the tool server itself.
	 */
	public function __construct( array $rows, Hold_Link $db, array $own ) {
		$this->rows = $rows;
		$this->db   = $db;
		$this->own  = $own;
	}

	/**
	 * Name of a table without the site's prefix.
	 *
	 * @param string $table Its name.
	 * @return string
	 */
	public static function short( $table ) {
		global $wpdb;
		return 0 === strpos( $table, $wpdb->prefix ) ? substr( $table, strlen( $wpdb->prefix ) ) : $table;
	}

	/**
	 * The label of a row, and the number of the post that it belongs to.
	 *
	 * @param string     $table  Name of its table.
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array Label, and number of the post or 0.
	 */
	public function of( $table, $before, $after ) {
		$short = self::short( $table );
		$row   = $after ?? $before;
		$found = $this->of_table( $short, $row, $before, $after );
		$named = in_array( 'options' === $short ? $row['option_name'] : $short, $this->own, true );
		// What is known to be something else is nobody's own.
		return $named && in_array( $found[0], array( 'settings', 'other' ), true ) ? array( 'own', 0 ) : $found;
	}

	/**
	 * The same without what belongs to the tool server.
	 *
	 * @param string     $short  Name of the table, without prefix.
	 * @param array      $row    The row after, or before where it was removed.
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return array Label, and number of the post or 0.
	 */
	private function of_table( $short, array $row, $before, $after ) {
		switch ( $short ) {
			case 'posts':
				return array( $this->of_post_row( $before, $after ), (int) $row['ID'] );
			case 'postmeta':
				$id = (int) $row['post_id'];
				return array( preg_match( self::CACHE_META, (string) $row['meta_key'] ) ? 'cache' : $this->of_post( $id ), $id );
			case 'term_relationships':
				$id = (int) $row['object_id'];
				return array( $this->of_post( $id ), $id );
			case 'term_taxonomy':
				return array( self::differ_only( $before, $after, array( 'count' ) ) ? 'cache' : 'structure', 0 );
			case 'options':
				return array( self::of_option( $row['option_name'] ), 0 );
			case 'usermeta':
				return array( self::of_user_meta( $before, $after ), 0 );
		}
		return array( isset( self::TABLES[ $short ] ) ? self::TABLES[ $short ] : 'other', 0 );
	}

	/**
	 * What is known of a post: its label and its row.
	 *
	 * @param int $id Number of the post.
	 * @return array Label, row before or null, row after or null.
	 */
	public function post( $id ) {
		global $wpdb;
		if ( ! isset( $this->posts[ $id ] ) ) {
			if ( isset( $this->rows[ $wpdb->posts ][ $id ] ) ) {
				list( $before, $after ) = $this->rows[ $wpdb->posts ][ $id ];
			} else {
				$found  = $this->db->read( "SELECT ID, post_title, post_type, post_status, post_parent FROM `$wpdb->posts` WHERE ID = " . (int) $id );
				$before = isset( $found[0] ) ? $found[0] : null;
				$after  = $before;
			}
			$this->posts[ $id ] = array( null === $before && null === $after ? 'other' : $this->of_post_row( $before, $after ), $before, $after );
		}
		return $this->posts[ $id ];
	}

	/**
	 * The label of what belongs to a post.
	 *
	 * @param int $id Number of the post.
	 * @return string
	 */
	private function of_post( $id ) {
		return $this->post( $id )[0];
	}

	/**
	 * The label of a post.
	 *
	 * @param array|null $before Its row before.
	 * @param array|null $after  Its row after.
	 * @return string
	 */
	private function of_post_row( $before, $after ) {
		$row  = $after ?? $before;
		$type = $row['post_type'];
		if ( null !== $before && null !== $after && $before['post_type'] !== $type ) {
			return 'other';
		}
		if ( 'revision' === $type ) {
			return $this->of_revision( $before, $after );
		}
		if ( isset( self::TYPES[ $type ] ) ) {
			return self::TYPES[ $type ];
		}
		$was = null === $before ? null : $before['post_status'];
		$is  = null === $after ? null : $after['post_status'];
		if ( null === $is || ( 'trash' === $is && 'trash' !== $was ) ) {
			return 'delete';
		}
		if ( in_array( $type, self::STRUCTURE_TYPES, true ) ) {
			return 'structure';
		}
		if ( 'attachment' === $type ) {
			return null === $before ? 'files' : 'live';
		}
		if ( self::differ_only( $before, $after, array( 'comment_count' ) ) ) {
			return 'comments';
		}
		$object = get_post_type_object( $type );
		if ( null === $object || ! is_post_type_viewable( $object ) ) {
			return 'other';
		}
		if ( null !== $was && ! in_array( $was, self::DRAFTS, true ) ) {
			return 'live';
		}
		return in_array( $is, self::DRAFTS, true ) ? 'draft' : 'publish';
	}

	/**
	 * The label of a revision. WordPress itself takes the oldest away once there are more than are kept.
	 *
	 * @param array|null $before Its row before.
	 * @param array|null $after  Its row after.
	 * @return string
	 */
	private function of_revision( $before, $after ) {
		global $wpdb;
		if ( $before === $after || null === $before ) {
			return 'revision';
		}
		if ( null !== $after || false !== strpos( $before['post_name'], 'autosave' ) ) {
			return 'delete';
		}
		$parent = (int) $before['post_parent'];
		$post   = get_post( $parent );
		$kept   = $post ? wp_revisions_to_keep( $post ) : -1;
		$left   = $this->db->read( "SELECT ID FROM `$wpdb->posts` WHERE post_type = 'revision' AND post_name NOT LIKE '%autosave%' AND post_parent = $parent ORDER BY ID" );
		$newer  = $left && (int) $left[0]['ID'] > (int) $before['ID'];
		return $kept > 0 && count( $left ) >= $kept && $newer ? 'revision' : 'delete';
	}

	/**
	 * The label of an option.
	 *
	 * @param string $name Its name.
	 * @return string
	 */
	private static function of_option( $name ) {
		foreach ( self::OPTIONS as $pattern => $label ) {
			if ( preg_match( $pattern, $name ) ) {
				return $label;
			}
		}
		return 'settings';
	}

	/**
	 * The label of what is kept of a user. The sessions of tool servers, and when a password was last used, are no matter.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @return string
	 */
	private static function of_user_meta( $before, $after ) {
		$row = $after ?? $before;
		if ( 0 === strpos( (string) $row['meta_key'], 'mcp_' ) ) {
			return 'cache';
		}
		return '_application_passwords' === $row['meta_key'] && null !== $before && null !== $after && self::unused( $before ) === self::unused( $after )
			? 'cache'
			: 'people';
	}

	/**
	 * Application passwords without when they were last used.
	 *
	 * @param array $row A row of usermeta.
	 * @return array
	 */
	private static function unused( array $row ) {
		$passwords = array();
		foreach ( (array) maybe_unserialize( $row['meta_value'] ) as $password ) {
			$passwords[] = array_diff_key( (array) $password, array_flip( array( 'last_used', 'last_ip' ) ) );
		}
		return $passwords;
	}

	/**
	 * Whether two rows differ in these columns alone.
	 *
	 * @param array|null $before The row before.
	 * @param array|null $after  The row after.
	 * @param string[]   $names  The columns.
	 * @return bool
	 */
	private static function differ_only( $before, $after, array $names ) {
		return null !== $before && null !== $after && $before !== $after
			&& array() === array_diff( array_keys( array_diff_assoc( $after, $before ) + array_diff_assoc( $before, $after ) ), $names );
	}
}
