<?php
/**
 * A persistent object cache during a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Lays something over the object cache, so that nothing of a call is seen by others before it is committed. */
final class Hold_Cache {

	/** Group of the probe. */
	const GROUP = 'site_ops_hold';

	/**
	 * The site's object cache.
	 *
	 * @var object|null
	 */
	private static $real = null;

	/**
	 * What lies over it.
	 *
	 * @var Hold_Overlay|null
	 */
	private static $over = null;

	/**
	 * Forgets what was read before other calls were kept out, and lays the overlay.
	 *
	 * @return bool Whether the cache is held; a cache of one request needs nothing.
	 */
	public static function start() {
		wp_cache_flush_runtime();
		if ( ! wp_using_ext_object_cache() ) {
			wp_cache_flush();
			return true;
		}
		self::$real = $GLOBALS['wp_object_cache'];
		self::$over = new Hold_Overlay( self::$real );

		// phpcs:ignore WordPress.WP.GlobalVariablesOverride -- for this request alone.
		$GLOBALS['wp_object_cache'] = self::$over;
		$name                       = bin2hex( random_bytes( 8 ) );
		wp_cache_set( $name, 1, self::GROUP );
		return self::$over->has( $name, self::GROUP );
	}

	/** Takes the overlay away; what the call wrote is forgotten in the site's cache, so that it is read anew. */
	public static function keep() {
		foreach ( self::take_away() as list( $key, $group ) ) {
			self::$real->delete( $key, $group );
		}
	}

	/** Takes the overlay away; the site's cache was not touched. */
	public static function drop() {
		self::take_away();
		if ( null === self::$real ) {
			wp_cache_flush();
		}
	}

	/**
	 * Takes the overlay away.
	 *
	 * @return array[] Key and group of what was written to it.
	 */
	private static function take_away() {
		if ( null === self::$real ) {
			return array();
		}
		// phpcs:ignore WordPress.WP.GlobalVariablesOverride -- as it was.
		$GLOBALS['wp_object_cache'] = self::$real;
		return self::$over->written();
	}
}
