<?php
/**
 * GET /health: what is installed and what works.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Tells the state of the site; changes nothing. */
final class Health {

	/** The rights told of the caller. */
	const CAPABILITIES = array(
		'edit_posts',
		'edit_pages',
		'edit_others_posts',
		'edit_published_posts',
		'publish_posts',
		'publish_pages',
		'upload_files',
		'unfiltered_html',
		'list_users',
		'activate_plugins',
		'manage_options',
	);

	/** Where the builder's tool server answers, newest first. */
	const BUILDER_TOOL_ROUTES = array( '/mcp/emcp-tools-server', '/mcp/elementor-mcp-server' );

	/** Registers the route. */
	public static function register_routes() {
		Routes::read( '/health', array( __CLASS__, 'answer' ), array( __CLASS__, 'may_read' ) );
	}

	/**
	 * Whoever may write posts may ask.
	 *
	 * @return bool
	 */
	public static function may_read() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Answers GET /health.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function answer( $request ) {
		return array(
			'plugin_version' => VERSION,
			'wp_version'     => get_bloginfo( 'version' ),
			'php_version'    => PHP_VERSION,
			'multisite'      => is_multisite(),
			'timezone'       => wp_timezone_string(),
			'features'       => self::features( $request ),
			'user'           => self::user(),
			'update'         => class_exists( Updates::class ) ? Updates::state() : null,
		);
	}

	/**
	 * The parts of the site the gateway's tools need.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	private static function features( $request ) {
		$seo    = Seo_Provider::active();
		$server = rest_get_server();
		$routes = array_values( array_intersect( self::BUILDER_TOOL_ROUTES, array_keys( $server->get_routes( 'mcp' ) ) ) );
		return array(
			'page_builder'  => array(
				'block'  => true,
				'visual' => array(
					'active'  => defined( 'ELEMENTOR_VERSION' ),
					'version' => self::constant( 'ELEMENTOR_VERSION' ),
				),
			),
			'theme_snippet' => array( 'applied' => self::theme_snippet() ),
			'tool_adapter'  => array(
				'active'  => in_array( 'mcp', $server->get_namespaces(), true ),
				'version' => self::constant( 'WP_MCP_VERSION' ),
			),
			'builder_tools' => array(
				'active'  => array() !== $routes,
				'version' => self::constant( 'EMCP_TOOLS_VERSION', 'ELEMENTOR_MCP_VERSION' ),
				'route'   => isset( $routes[0] ) ? $routes[0] : null,
			),
			'code_page'     => array( 'active' => true ),
			'seo_bridge'    => array(
				'active'           => true,
				'provider'         => $seo->id(),
				'provider_version' => $seo->version(),
				'off'              => $seo->off(),
				'beside'           => Seo_Provider::beside(),
			),
			'schema_bridge' => self::schema_bridge(),
			'guarded_write' => array(
				'active' => true,
				'lock'   => Row_Lock::kind(),
			),
			'hold'          => self::hold( $request ),
		);
	}

	/**
	 * Whether a tool of another plugin can be run so that it takes effect only where it does what was allowed.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	private static function hold( $request ) {
		$support  = Hold_Keys::support();
		$unpaired = self::unpaired( $request );
		$why      = $support['why'] ?? $unpaired;
		return array(
			'active'  => null === $why,
			'engine'  => $support['engine'],
			'version' => VERSION,
			'why'     => $why,
			'paired'  => null === $unpaired,
			'methods' => class_exists( Hold_Run::class ) ? array( Hold_Run::METHOD ) : array(),
		);
	}

	/**
	 * Why the gateway that asks is not connected, where it signed; else why no gateway of the account is.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return string|null
	 */
	private static function unpaired( $request ) {
		if ( Hold_Signature::is_sent() ) {
			$key = Hold_Signature::of( $request );
			return is_wp_error( $key ) ? $key->get_error_message() : null;
		}
		return Hold_Keys::of_user( get_current_user_id() )
			? null
			: __( 'The account is not connected to a gateway: see Tools, Site Ops', 'site-ops' );
	}

	/**
	 * Who holds the site's custom schema, and how many entries.
	 *
	 * @return array
	 */
	private static function schema_bridge() {
		$store = Schema_Store::active();
		return array(
			'active'   => null !== $store,
			'provider' => $store ? $store->id() : null,
			'entries'  => $store ? $store->count() : 0,
		);
	}

	/**
	 * Whether the theme (or a snippet in it) opens the visual builder's data to REST, as sites did before this plugin.
	 *
	 * @return bool
	 */
	private static function theme_snippet() {
		$keys  = get_registered_meta_keys( 'post', 'page' ) + get_registered_meta_keys( 'post' );
		$found = ! empty( $keys['_elementor_data']['show_in_rest'] );
		/**
		 * Filters whether the theme's snippet counts as applied.
		 *
		 * @param bool $found Whether _elementor_data is open to REST.
		 */
		return (bool) apply_filters( 'site_ops_theme_snippet_applied', $found );
	}

	/**
	 * The caller.
	 *
	 * @return array
	 */
	private static function user() {
		$user = wp_get_current_user();
		return array(
			'id'    => $user->ID,
			'roles' => array_values( $user->roles ),
			'caps'  => Access::rights( self::CAPABILITIES ),
		);
	}

	/**
	 * The value of the first of these constants that exists.
	 *
	 * @param string ...$names Names of constants.
	 * @return string|null
	 */
	private static function constant( ...$names ) {
		foreach ( $names as $name ) {
			if ( defined( $name ) ) {
				return (string) constant( $name );
			}
		}
		return null;
	}
}
