<?php
/**
 * POST /guarded/stored/redirects: a redirect that is there, set back as it was stored.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** The rows of the redirect from a source, in the store of this site; none is made or taken away. */
final class Stored_Redirects {

	/** Registers the route. */
	public static function register_route() {
		$text = array(
			'type'              => 'string',
			'minLength'         => 1,
			'required'          => true,
			'sanitize_callback' => null,
		);
		Guarded_Routes::add(
			'/stored/redirects',
			array(
				'may'   => array( Seo_Redirects::class, 'may' ),
				'asks'  => array( 'source' => $text ),
				'takes' => array(
					'source' => $text,
					'rows'   => Stored_Rows::argument(),
				),
				'state' => array( Seo_Redirects::class, 'read' ),
				'parts' => array( Seo_Redirects::class, 'parts' ),
				'write' => array( __CLASS__, 'write' ),
				'after' => array( Seo_Redirects::class, 'after' ),
				'lock'  => 'redirects',
			)
		);
	}

	/**
	 * The rows of the redirect from a source.
	 *
	 * @param string $source The source, as it was sent.
	 * @return array|null As Stored_Rows::told(); null for no redirect, and where it cannot be set back.
	 */
	public static function told( $source ) {
		$store = Redirect_Store::active();
		$path  = Redirect_Rules::source( $source );
		$row   = is_wp_error( $store ) || is_wp_error( $path ) ? null : $store->find( $path );
		$rows  = $row && '' !== $row['destination'] ? $store->rows_of( $row ) : array();
		return $rows ? array(
			'plugin' => $store->plugin(),
			'rows'   => $rows,
		) : null;
	}

	/**
	 * The same in parts.
	 *
	 * @param string $source The source, as it was sent.
	 * @return array
	 */
	public static function parts( $source ) {
		$told  = self::told( $source );
		$parts = array( 'plugin' => $told ? $told['plugin'] : '' );
		foreach ( $told ? $told['rows'] : array() as $name => $row ) {
			$parts[ 'row:' . $name ] = Json::text( $row['values'] );
		}
		return $parts;
	}

	/**
	 * Writes the rows as they are given.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function write( $request ) {
		$source = Redirect_Rules::source( $request['source'] );
		$store  = Redirect_Store::active();
		$told   = is_wp_error( $source ) || is_wp_error( $store ) ? null : self::told( $request['source'] );
		if ( null === $told ) {
			return Errors::argument( 'source', __( 'There is no redirect from there that could be set back', 'site-ops' ) );
		}
		$fault = Stored_Rows::fault( $told['rows'], $request['rows'] );
		$to    = Redirect_Rules::destination( $store->destination_in( $request['rows'] ) );
		foreach ( array( $fault, $to ) as $part ) {
			if ( is_wp_error( $part ) ) {
				return $part;
			}
		}
		$loop = Redirect_Rules::loop( $source, $to, $store );
		if ( $loop ) {
			return $loop;
		}
		$row = $store->find( $source );
		$store->put( $row['id'], $request['rows'] );
		Caches::address( $source );
		return array( 'created' => false ) + $store->find( $source );
	}
}
