<?php
/**
 * Telling caches that a post has changed.
 *
 * @package SiteOps
 */

namespace SiteOps;

use Throwable;
use WP_HTTP_Response;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Clears what may hold an old form of a page, and tells which caches were asked. */
final class Caches {

	/** The header of an answer that names the page caches that were asked to drop a page. */
	const HEADER = 'X-Site-Ops-Caches';

	/** Functions that drop the page of a post, by its number. */
	const POST_FUNCTIONS = array(
		'WP Rocket'        => 'rocket_clean_post',
		'WP Fastest Cache' => 'wpfc_clear_post_cache_by_id',
		'WP Super Cache'   => 'wp_cache_post_change',
		'W3 Total Cache'   => 'w3tc_flush_post',
	);

	/** Actions that do it. */
	const POST_ACTIONS = array(
		'LiteSpeed Cache' => 'litespeed_purge_post',
		'Cache Enabler'   => 'cache_enabler_clear_page_cache_by_post',
		'Hummingbird'     => 'wphb_clear_page_cache',
	);

	/** Functions that drop a page by its address. */
	const ADDRESS_FUNCTIONS = array(
		'WP Rocket'      => 'rocket_clean_files',
		'WP Super Cache' => 'wpsc_delete_url_cache',
		'W3 Total Cache' => 'w3tc_flush_url',
	);

	/** Actions that do it. */
	const ADDRESS_ACTIONS = array(
		'LiteSpeed Cache' => 'litespeed_purge_url',
		'Cache Enabler'   => 'cache_enabler_clear_page_cache_by_url',
	);

	/**
	 * The names of the caches that were asked while this request ran, as keys.
	 *
	 * @var bool[]
	 */
	private static $asked = array();

	/** Hooks the header up. */
	public static function start() {
		add_filter( 'rest_post_dispatch', array( __CLASS__, 'tell' ), 10, 3 );
	}

	/**
	 * Clears the caches of one post: WordPress's own, and of one that visitors see those of the page caches in wide use,
	 * once it is committed: until then a visitor would have them keep the old page again.
	 *
	 * @param int $id Number of the post.
	 */
	public static function post( $id ) {
		clean_post_cache( $id );
		Row_Lock::after(
			static function () use ( $id ) {
				self::drop_post( $id );
			}
		);
	}

	/**
	 * Asks the page caches to drop the page of a post that visitors see.
	 *
	 * @param int $id Number of the post.
	 */
	private static function drop_post( $id ) {
		if ( is_post_publicly_viewable( $id ) ) {
			self::ask( self::POST_FUNCTIONS, self::POST_ACTIONS, $id );
			self::call( 'SiteGround Optimizer', 'sg_cachepress_purge_cache', (string) get_permalink( $id ) );
			self::call( 'WP-Optimize', array( 'WPO_Page_Cache', 'delete_single_post_cache' ), $id );
		}
		/**
		 * Fires when the plugin has changed what a post shows.
		 *
		 * @param int $id Number of the post.
		 */
		do_action( 'site_ops_post_changed', $id );
	}

	/**
	 * Clears what page caches keep of an address that is no post's, or no longer. They keep pages under the form of the
	 * site's permalinks: WordPress leads from the other one to it. They are asked once it is committed.
	 *
	 * @param string $path Path below the site's home, without a slash at its end.
	 */
	public static function address( $path ) {
		Row_Lock::after(
			static function () use ( $path ) {
				self::drop_address( $path );
			}
		);
	}

	/**
	 * Asks the page caches to drop an address.
	 *
	 * @param string $path As address() takes it.
	 */
	private static function drop_address( $path ) {
		$is_file = false !== strpos( (string) strrchr( $path, '/' ), '.' );
		$address = home_url( $is_file ? $path : user_trailingslashit( $path ) );
		self::ask( self::ADDRESS_FUNCTIONS, self::ADDRESS_ACTIONS, $address );
		self::call( 'SiteGround Optimizer', 'sg_cachepress_purge_cache', $address );
		/**
		 * Fires when the plugin has changed what an address answers.
		 *
		 * @param string $address The address.
		 */
		do_action( 'site_ops_address_changed', $address );
	}

	/**
	 * Names, in a header of the plugin's own answers, the caches that were asked.
	 *
	 * @param WP_HTTP_Response $response The answer.
	 * @param mixed            $server   The REST server.
	 * @param WP_REST_Request  $request  The request.
	 * @return WP_HTTP_Response
	 */
	public static function tell( $response, $server, $request ) {
		if ( self::$asked && 0 === strpos( $request->get_route(), '/' . REST_NAMESPACE . '/' ) ) {
			$response->header( self::HEADER, implode( ', ', array_keys( self::$asked ) ) );
		}
		return $response;
	}

	/**
	 * Asks those of them that are there.
	 *
	 * @param string[] $functions Functions by the names of their caches.
	 * @param string[] $actions   Actions likewise.
	 * @param mixed    $what      What to drop.
	 */
	private static function ask( array $functions, array $actions, $what ) {
		foreach ( $functions as $name => $function ) {
			self::call( $name, $function, $what );
		}
		foreach ( $actions as $name => $action ) {
			if ( has_action( $action ) ) {
				self::call(
					$name,
					static function () use ( $action, $what ) {
						do_action( $action, $what ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- another plugin's.
					}
				);
			}
		}
	}

	/**
	 * Calls what drops a page, if it is there. A cache that fails is no failure of the write.
	 *
	 * @param string   $name Name of the cache.
	 * @param callable $call What is called.
	 * @param mixed    $what What to drop.
	 */
	private static function call( $name, $call, $what = null ) {
		if ( ! is_callable( $call ) ) {
			return;
		}
		try {
			null === $what ? $call() : call_user_func( $call, $what );
			self::$asked[ $name ] = true;
		} catch ( Throwable $thrown ) {
			unset( $thrown );
		}
	}
}
