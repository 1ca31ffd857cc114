<?php
/**
 * How what is kept of held calls is written.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Writes values of any bytes as JSON, packed where that is long, and reads them again. */
final class Hold_Packing {

	/** Longer JSON is packed: writing it costs more than that. */
	const PACKED_BYTES = 4096;

	const PACKED = 'deflate:';

	/**
	 * A value as JSON can have it: text that is no UTF-8 becomes base64.
	 *
	 * @param mixed $leaf The value.
	 * @return mixed
	 */
	public static function readable( $leaf ) {
		return is_string( $leaf ) && ! preg_match( '//u', $leaf ) ? array( 'base64' => base64_encode( $leaf ) ) : $leaf;
	}

	/**
	 * JSON of ASCII alone, whatever the character set of the table; packed where it is long and PHP can do it.
	 *
	 * @param array $value What is kept.
	 * @return string
	 */
	public static function encode( array $value ) {
		array_walk_recursive(
			$value,
			static function ( &$leaf ) {
				$leaf = self::readable( $leaf );
			}
		);
		$json = json_encode( $value, JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION );
		return strlen( $json ) > self::PACKED_BYTES && function_exists( 'gzdeflate' )
			? self::PACKED . base64_encode( gzdeflate( $json, 1 ) )
			: $json;
	}

	/**
	 * What encode() made JSON of.
	 *
	 * @param string $json The JSON.
	 * @return mixed
	 */
	public static function decode( $json ) {
		if ( 0 === strpos( $json, self::PACKED ) ) {
			$json = (string) gzinflate( base64_decode( substr( $json, strlen( self::PACKED ) ) ) );
		}
		return self::restore( json_decode( $json, true ) );
	}

	/**
	 * Turns base64 back into the text it was.
	 *
	 * @param mixed $value What was decoded.
	 * @return mixed
	 */
	private static function restore( $value ) {
		if ( ! is_array( $value ) ) {
			return $value;
		}
		return array( 'base64' ) === array_keys( $value ) && is_string( $value['base64'] )
			? base64_decode( $value['base64'] )
			: array_map( array( __CLASS__, 'restore' ), $value );
	}
}
