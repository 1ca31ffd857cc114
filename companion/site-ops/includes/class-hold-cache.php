<?php
/**
 * A persistent object cache while a transaction runs.
 *
 * @package SiteOps
 */

namespace SiteOps;

use ReflectionClass;
use ReflectionProperty;
use TypeError;

defined( 'ABSPATH' ) || exit;

/**
 * Lays something over the object cache, so that nothing of a transaction is seen by others before it is committed, and what
 * others kept of the rows meanwhile is forgotten once it is.
 */
final class Hold_Cache {

	/** Group of the probe. */
	const GROUP = 'site_ops_hold';

	/**
	 * What lies over the site's object cache.
	 *
	 * @var Hold_Overlay|null
	 */
	private static $over = null;

	/**
	 * The site's object cache.
	 *
	 * @var object|null
	 */
	private static $real = null;

	/**
	 * Begins for a held call: forgets what was read before other calls were kept out, and lays the overlay. It stays until
	 * the request ends, so that what runs late changes nothing either.
	 *
	 * @return bool Whether the cache is held; a cache of one request needs nothing.
	 */
	public static function start() {
		if ( self::is_of_one_request() ) {
			wp_cache_flush();
			return true;
		}
		$is_fresh = wp_cache_supports( 'flush_runtime' ) && wp_cache_flush_runtime();
		return self::lay( new Hold_Overlay( $GLOBALS['wp_object_cache'], ! $is_fresh, true ) );
	}

	/**
	 * Begins for a transaction of the plugin's own. A cache that cannot be held stays as it is.
	 *
	 * @return bool Whether the overlay was laid: then it is to be taken away by leave().
	 */
	public static function enter() {
		return null === self::$over && ! self::is_of_one_request() && self::lay( new Hold_Overlay( $GLOBALS['wp_object_cache'], false, false ) );
	}

	/**
	 * Takes away what enter() laid, after the transaction has ended.
	 *
	 * @param bool $kept Whether it was committed.
	 */
	public static function leave( $kept ) {
		self::put( self::$over, self::$real );
		if ( $kept ) {
			self::$over->site_ops_commit();
		}
		self::$over = null;
	}

	/**
	 * Asks the cache's server for something before a call is judged: where it is gone, a drop-in may end the request, which
	 * must not be when the call is committed and what is stale is to be forgotten.
	 */
	public static function reach() {
		if ( null !== self::$over ) {
			self::$real->get( 'reach', self::GROUP, true );
		}
	}

	/** After a commit: the site's cache forgets what the call wrote, so that it is read anew. */
	public static function keep() {
		if ( null !== self::$over ) {
			self::$over->site_ops_commit();
		}
	}

	/** The site's cache was not touched; what the call wrote is gone. */
	public static function drop() {
		if ( null === self::$over ) {
			wp_cache_flush();
		} else {
			self::$over->site_ops_clear();
		}
	}

	/**
	 * Whether the site has WordPress's own cache, which lives as long as a request. Whether a drop-in says so of itself, as
	 * where its server cannot be reached, is not asked: what it keeps may be seen by others all the same.
	 *
	 * @return bool
	 */
	private static function is_of_one_request() {
		$class = new ReflectionClass( $GLOBALS['wp_object_cache'] );
		return ! wp_using_ext_object_cache() && 'class-wp-object-cache.php' === basename( (string) $class->getFileName() );
	}

	/**
	 * Lays an overlay, and looks whether the functions of WordPress reach it.
	 *
	 * @param Hold_Overlay $over The overlay.
	 * @return bool
	 */
	private static function lay( Hold_Overlay $over ) {
		$name       = bin2hex( random_bytes( 8 ) );
		self::$real = $GLOBALS['wp_object_cache'];
		self::put( self::$real, $over );
		wp_cache_set( $name, 1, self::GROUP );
		if ( ! $over->site_ops_has( $name, self::GROUP ) ) {
			self::put( $over, self::$real );
			wp_cache_delete( $name, self::GROUP );
			return false;
		}
		$over->site_ops_clear();
		self::$over = $over;
		return true;
	}

	/**
	 * Puts one cache in the place of another: where WordPress has it, and where its class keeps its only object.
	 *
	 * @param object $from The one.
	 * @param object $to   The other.
	 */
	private static function put( $from, $to ) {
		// phpcs:ignore WordPress.WP.GlobalVariablesOverride -- for this request alone.
		$GLOBALS['wp_object_cache'] = $to;

		$class = new ReflectionClass( self::$real );
		foreach ( $class->getProperties( ReflectionProperty::IS_STATIC ) as $property ) {
			$property->setAccessible( true );
			if ( ! $property->isInitialized() || $property->getValue() !== $from ) {
				continue;
			}
			try {
				$property->setValue( null, $to );
			} catch ( TypeError $error ) {
				// It takes objects of its own class alone; the probe tells whether it matters.
				unset( $error );
			}
		}
	}
}
