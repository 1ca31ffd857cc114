<?php
/**
 * JSON that keeps its types.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Reads JSON so that {} and [] stay two things, which WordPress's own reading makes one. */
final class Json {

	const BYTES = 102400;

	/**
	 * An argument of a JSON body as it was sent: objects as objects. Of other bodies, what WordPress read.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string          $name    Name of the argument.
	 * @return mixed
	 */
	public static function argument( $request, $name ) {
		$body = $request->is_json_content_type() ? json_decode( $request->get_body() ) : null;
		return is_object( $body ) && isset( $body->$name ) ? $body->$name : $request[ $name ];
	}

	/**
	 * The value of a JSON text.
	 *
	 * @param string $text The text.
	 * @return mixed|WP_Error
	 */
	public static function parse( $text ) {
		$value = json_decode( $text );
		if ( JSON_ERROR_NONE === json_last_error() ) {
			return $value;
		}
		/* translators: %s: what the JSON reader complains of */
		return Errors::make( 'invalid_json', sprintf( __( 'The text is not JSON: %s', 'site-ops' ), json_last_error_msg() ) );
	}

	/**
	 * A value as JSON text.
	 *
	 * @param mixed $value The value.
	 * @return string
	 */
	public static function text( $value ) {
		return (string) wp_json_encode( $value, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION );
	}

	/**
	 * A value with PHP arrays for objects, as WordPress's plugins keep them.
	 *
	 * @param mixed $value The value.
	 * @return mixed
	 */
	public static function arrays( $value ) {
		return json_decode( self::text( $value ), true );
	}

	/**
	 * Refuses what is too large to be structured data.
	 *
	 * @param string $text The JSON text.
	 * @return WP_Error|null
	 */
	public static function too_large( $text ) {
		if ( strlen( $text ) <= self::BYTES ) {
			return null;
		}
		/* translators: 1: bytes, 2: the bytes allowed */
		$said = sprintf( __( 'The structured data has %1$d bytes, at most %2$d are allowed', 'site-ops' ), strlen( $text ), self::BYTES );
		return Errors::make( 'too_large', $said );
	}
}
