<?php
/**
 * Filters through which others change what an SEO plugin made.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Tells the SEO plugin's own functions at a filter from those of a theme or another plugin. */
final class Seo_Filters {

	/**
	 * Those of the filters at which anybody but the SEO plugin changes a text.
	 *
	 * @param string[] $hooks Names of filters, by name of the text.
	 * @param string   $start How the names of the SEO plugin's classes begin; empty where it has no functions there.
	 * @return string[]
	 */
	public static function of_others( array $hooks, $start ) {
		return array_filter(
			$hooks,
			static function ( $hook ) use ( $start ) {
				if ( empty( $GLOBALS['wp_filter'][ $hook ] ) ) {
					return false;
				}
				$all = $GLOBALS['wp_filter'][ $hook ];
				return self::count( $all ) > self::count( self::own_only( $all, $start ) );
			}
		);
	}

	/**
	 * What a function answers while others do not change anything at these filters.
	 *
	 * @param string[] $hooks Names of filters.
	 * @param string   $start How the names of the SEO plugin's classes begin.
	 * @param callable $ask   The function.
	 * @return mixed
	 */
	public static function without_others( array $hooks, $start, callable $ask ) {
		$kept = array_intersect_key( $GLOBALS['wp_filter'], array_flip( $hooks ) );
		foreach ( $kept as $hook => $callbacks ) {
			$GLOBALS['wp_filter'][ $hook ] = self::own_only( $callbacks, $start ); // phpcs:ignore WordPress.WP.GlobalVariablesOverride.Prohibited
		}
		try {
			return $ask();
		} finally {
			$GLOBALS['wp_filter'] = array_merge( $GLOBALS['wp_filter'], $kept ); // phpcs:ignore WordPress.WP.GlobalVariablesOverride.Prohibited
		}
	}

	/**
	 * How many functions a filter has.
	 *
	 * @param \WP_Hook $hook The filter.
	 * @return int
	 */
	private static function count( $hook ) {
		return array_sum( array_map( 'count', $hook->callbacks ) );
	}

	/**
	 * The functions of a filter that are the SEO plugin's own.
	 *
	 * @param \WP_Hook $hook  The filter.
	 * @param string   $start How the names of its classes begin.
	 * @return \WP_Hook
	 */
	private static function own_only( $hook, $start ) {
		$own = clone $hook;
		foreach ( $own->callbacks as $priority => $callbacks ) {
			$own->callbacks[ $priority ] = array_filter(
				$callbacks,
				static function ( $callback ) use ( $start ) {
					$of = is_array( $callback['function'] ) ? $callback['function'][0] : '';
					$of = is_object( $of ) ? get_class( $of ) : (string) $of;
					return '' !== $start && 0 === strpos( $of, $start );
				}
			);
		}
		return $own;
	}
}
