<?php
/**
 * Cleaning text that comes in.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Text of one line, and addresses. */
final class Text {

	/**
	 * One line of plain text. As sanitize_text_field(), which however eats "%da" out of "%%date%%": SEO plugins write
	 * their variables so.
	 *
	 * @param string $text Any text.
	 * @return string
	 */
	public static function line( $text ) {
		$text = wp_check_invalid_utf8( $text );
		if ( false !== strpos( $text, '<' ) ) {
			$text = wp_strip_all_tags( wp_pre_kses_less_than( $text ), false );
			$text = str_replace( "<\n", "&lt;\n", $text );
		}
		return trim( preg_replace( '/[\x00-\x20\x7f]+/', ' ', $text ) );
	}

	/**
	 * Whether that is an absolute http(s) address, or nothing.
	 *
	 * @param string $url An address.
	 * @return bool
	 */
	public static function is_url( $url ) {
		if ( '' === $url ) {
			return true;
		}
		$parts = wp_parse_url( $url );
		return ! preg_match( '/[\x00-\x20\x7f<>"\\\\]/', $url )
			&& is_array( $parts )
			&& isset( $parts['scheme'], $parts['host'] )
			&& in_array( strtolower( $parts['scheme'] ), array( 'http', 'https' ), true );
	}
}
