<?php
/**
 * The one-time code by which an administrator lets a gateway connect.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** One code at a time, kept as a hash: it lives for some minutes, works once, and a few wrong tries end it. */
final class Hold_Code {

	/** Option of the code: hash, made_at, tries. */
	const OPTION = 'site_ops_pairing_code';

	/** Letters and digits that nobody takes for one another. */
	const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';

	const LENGTH       = 8;
	const LIVE_SECONDS = 900;
	const TRIES_MAX    = 5;

	/**
	 * Makes a code; the one before it no longer works.
	 *
	 * @return string As people write it: XXXX-XXXX.
	 */
	public static function make() {
		$code = '';
		for ( $at = 0; $at < self::LENGTH; $at++ ) {
			$code .= self::ALPHABET[ random_int( 0, strlen( self::ALPHABET ) - 1 ) ];
		}
		$kept = array(
			'hash'    => self::hash( $code ),
			'made_at' => time(),
			'tries'   => 0,
		);
		update_option( self::OPTION, $kept, false );
		return substr( $code, 0, 4 ) . '-' . substr( $code, 4 );
	}

	/**
	 * Uses the code up. Callers keep others out meanwhile, so that no try goes uncounted.
	 *
	 * @param string $code What the gateway sent.
	 * @return WP_Error|null An error where it is not the code.
	 */
	public static function spend( $code ) {
		Hold_Keys::forget( self::OPTION );
		$kept = get_option( self::OPTION );
		if ( ! is_array( $kept ) || $kept['made_at'] + self::LIVE_SECONDS <= time() ) {
			delete_option( self::OPTION );
			return self::refuse( __( 'No code waits to be used: a code works once, for 15 minutes.', 'site-ops' ) );
		}
		if ( hash_equals( $kept['hash'], self::hash( $code ) ) ) {
			delete_option( self::OPTION );
			return null;
		}
		++$kept['tries'];
		if ( $kept['tries'] >= self::TRIES_MAX ) {
			delete_option( self::OPTION );
			return self::refuse( __( 'The code was wrong too often and no longer works.', 'site-ops' ) );
		}
		update_option( self::OPTION, $kept, false );
		/* translators: %d: number of tries */
		return self::refuse( sprintf( __( 'This is not the code; tries left: %d.', 'site-ops' ), self::TRIES_MAX - $kept['tries'] ) );
	}

	/**
	 * The refusal to connect a gateway, with the way to a code.
	 *
	 * @param string $why What was wrong.
	 * @return WP_Error
	 */
	public static function refuse( $why ) {
		$way = __( 'An administrator gets a code by pressing "Connect a gateway" in WordPress under Tools, Site Ops.', 'site-ops' );
		return Errors::make( 'pairing_code', $why . ' ' . $way );
	}

	/**
	 * What is kept of a code; capitals and the dash do not matter.
	 *
	 * @param string $code The code.
	 * @return string
	 */
	private static function hash( $code ) {
		return hash_hmac( 'sha256', preg_replace( '/[^0-9A-Z]/', '', strtoupper( $code ) ), wp_salt() );
	}
}
