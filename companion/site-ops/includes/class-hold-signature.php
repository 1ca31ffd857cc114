<?php
/**
 * Who signed a request.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Checks that a connected gateway sent exactly this request, lately. */
final class Hold_Signature {

	/** How far the gateway's clock may be off. */
	const CLOCK_SECONDS = 300;

	/** What the header looks like. */
	const FORM = '/^v1; ?key=([0-9a-f]{16}); ?t=(\d{1,12}); ?sig=([0-9a-f]{64})$/D';

	/**
	 * The key that signed a request.
	 *
	 * @param string $method     Method of the request.
	 * @param string $route      Its route as WordPress sees it, without prefix and query.
	 * @param string $body       The bytes of its body.
	 * @param string $hold_value The value of X-Site-Ops-Hold as sent; empty where there was none.
	 * @return array|WP_Error key_id and user_id; an error that says what is wrong with the signature.
	 */
	public static function verify( $method, $route, $body, $hold_value ) {
		$sent = self::header( 'HTTP_X_SITE_OPS_SIGNATURE' );
		if ( ! preg_match( self::FORM, $sent, $parts ) ) {
			return self::refuse(
				'' === $sent
					? __( 'The request has no signature', 'site-ops' )
					: __( 'The signature is not written as the plugin reads it', 'site-ops' )
			);
		}
		list( , $key_id, $at, $signature ) = $parts;
		$key                               = Hold_Keys::find( $key_id );
		if ( null === $key ) {
			return self::refuse( __( 'The key is unknown here: connect the gateway again', 'site-ops' ) );
		}
		$lines = array( 'v1', strtoupper( $method ), $route, hash( 'sha256', $body ), $hold_value, $at );
		if ( ! hash_equals( hash_hmac( 'sha256', implode( "\n", $lines ), hex2bin( $key['key'] ) ), $signature ) ) {
			return self::refuse( __( 'The signature is wrong: the request is not what was signed, or by another key', 'site-ops' ) );
		}
		$off = abs( time() - (int) $at );
		if ( $off > self::CLOCK_SECONDS ) {
			/* translators: %d: number of seconds */
			return self::refuse( sprintf( __( 'The clocks of gateway and site differ by %d seconds', 'site-ops' ), $off ) );
		}
		if ( get_current_user_id() !== $key['user_id'] || ! Access::has( 'edit_posts' ) ) {
			return self::refuse( __( 'The key belongs to another account, or the account may not write', 'site-ops' ) );
		}
		return array(
			'key_id'  => $key['key_id'],
			'user_id' => $key['user_id'],
		);
	}

	/**
	 * The key that signed a request to a route of this plugin.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error As verify().
	 */
	public static function of( $request ) {
		$hold = self::header( 'HTTP_X_SITE_OPS_HOLD' );
		return self::verify( $request->get_method(), $request->get_route(), (string) $request->get_body(), $hold );
	}

	/**
	 * Whether a request has a signature at all, right or wrong.
	 *
	 * @return bool
	 */
	public static function is_sent() {
		return '' !== self::header( 'HTTP_X_SITE_OPS_SIGNATURE' );
	}

	/**
	 * A header as it was sent; WordPress adds slashes to all of them.
	 *
	 * @param string $name Its name among the server's variables.
	 * @return string
	 */
	private static function header( $name ) {
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput.InputNotSanitized -- compared, never shown or stored.
		return isset( $_SERVER[ $name ] ) ? wp_unslash( $_SERVER[ $name ] ) : '';
	}

	/**
	 * The refusal.
	 *
	 * @param string $why What is wrong.
	 * @return WP_Error
	 */
	private static function refuse( $why ) {
		return Errors::make( 'hold_signature', $why );
	}
}
