<?php
/**
 * What may not stand in a page made from code.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Sizes and content of HTML, CSS and JavaScript; the gateway checks the same before it sends them. */
final class Code_Check {

	const HTML_BYTES = 204800;
	const JS_BYTES   = 102400;

	/** Callers may give 102400 bytes of CSS to the gateway; what it sends is scoped, and so up to nine times as long. */
	const CSS_BYTES = 1048576;

	/** Elements that show another document, or move every address of the page. */
	const ELEMENTS = array( 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal', 'fencedframe', 'base' );

	/** Attributes that hold an address, also with a prefix (xlink:href). */
	const ADDRESSES = array( 'href', 'src', 'action', 'formaction', 'data', 'poster', 'background', 'cite', 'longdesc', 'ping', 'manifest', 'lowsrc', 'dynsrc', 'from', 'to', 'by', 'values', 'srcset', 'imagesrcset', 'content' );

	/** Those of them that hold several, or one after other text. */
	const LISTS = array( 'values', 'srcset', 'imagesrcset', 'content', 'ping' );

	/**
	 * The first fault of the parts given; null when there is none.
	 *
	 * @param string|null $html The HTML.
	 * @param string|null $css  The CSS.
	 * @param string|null $js   The JavaScript.
	 * @return WP_Error|null
	 */
	public static function fault( $html, $css, $js ) {
		$parts = array(
			'html' => array( $html, self::HTML_BYTES ),
			'css'  => array( $css, self::CSS_BYTES ),
			'js'   => array( $js, self::JS_BYTES ),
		);
		foreach ( $parts as $name => list( $text, $limit ) ) {
			if ( null !== $text && strlen( $text ) > $limit ) {
				/* translators: 1: name of an argument, 2: its bytes, 3: the bytes it may have */
				$said = sprintf( __( '%1$s has %2$d bytes, at most %3$d are allowed', 'site-ops' ), $name, strlen( $text ), $limit );
				return Errors::make( 'too_large', $said, array( 'param' => $name ) );
			}
		}
		$faults = array_filter(
			array(
				'html' => null === $html ? null : self::html( $html ),
				'css'  => null === $css ? null : self::css( $css ),
				'js'   => null !== $js && false !== strpos( $js, "\0" ) ? 'a NUL character' : null,
			)
		);
		foreach ( $faults as $name => $fault ) {
			/* translators: 1: name of an argument, 2: what it holds */
			$said = sprintf( __( '%1$s holds %2$s, which a page made from code may not', 'site-ops' ), $name, $fault );
			return Errors::make( 'disallowed', $said, array( 'param' => $name ) );
		}
		return null;
	}

	/**
	 * What HTML may not hold.
	 *
	 * @param string $html The HTML.
	 * @return string|null
	 */
	public static function html( $html ) {
		if ( false !== strpos( $html, "\0" ) ) {
			return 'a NUL character';
		}
		// WordPress finds these by text search, wherever they stand, and would end the page's block there.
		if ( preg_match( '~<!--\s*/?wp:~i', $html ) ) {
			return 'a block delimiter';
		}
		$scanner = new Html_Scanner( $html, array( __CLASS__, 'tag' ) );
		return $scanner->fault();
	}

	/**
	 * What a tag may not be.
	 *
	 * @param string $name       Name of the element.
	 * @param array  $attributes Pairs of name and value.
	 * @param bool   $foreign    Whether it may stand in svg or math.
	 * @param string $text       Text of a raw-text element.
	 * @return string|null
	 */
	public static function tag( $name, array $attributes, $foreign, $text ) {
		if ( in_array( $name, self::ELEMENTS, true ) ) {
			return "the element $name";
		}
		if ( 'script' === $name && $foreign ) {
			return 'a script inside svg or math, or after one that is not well formed';
		}
		if ( 'style' === $name && null !== self::css( $text ) ) {
			return self::css( $text );
		}
		foreach ( $attributes as list( $key, $value ) ) {
			$local = preg_replace( '/^.*:/', '', $key );
			if ( 'srcdoc' === $local ) {
				return 'the attribute srcdoc';
			}
			if ( 'script' === $name && in_array( $local, array( 'src', 'href' ), true ) ) {
				return 'a script from another address';
			}
			if ( 'link' === $name && 'rel' === $key && preg_match( '/(^|\s)(stylesheet|import|modulepreload)(\s|$)/i', $value ) ) {
				return 'a style sheet or script from another address';
			}
			if ( in_array( $local, self::ADDRESSES, true ) && self::runs( $value, in_array( $local, self::LISTS, true ) ) ) {
				return "a script address in the attribute $key";
			}
			if ( 'style' === $key && null !== self::css( $value ) ) {
				return self::css( $value );
			}
		}
		return null;
	}

	/**
	 * What CSS may not hold: an import, and addresses that run scripts. Comments and strings are no rules, and names
	 * may be written with escapes.
	 *
	 * @param string $css The CSS.
	 * @return string|null
	 */
	public static function css( $css ) {
		if ( false !== strpos( $css, "\0" ) ) {
			return 'a NUL character';
		}
		$escape = '\\\\(?:[0-9a-f]{1,6}[ \t\n\r\f]?|[^\n\r\f0-9a-f])';
		$name   = "(?:[-_a-z0-9\\x80-\\xff]|$escape)++";
		$string = '(?:"(?:[^"\\\\\n\r\f]|\\\\.)*+"?|\'(?:[^\'\\\\\n\r\f]|\\\\.)*+\'?)';
		// The name of url( may itself be written with escapes.
		$url   = '(?:u|\\\\u|\\\\0{0,4}[57]5\s?)(?:r|\\\\r|\\\\0{0,4}[57]2\s?)(?:l|\\\\l|\\\\0{0,4}[46]c\s?)';
		$skip  = "(?:/\\*.*?(?:\\*/|\\z)|$string|\\#$name)(*SKIP)(*FAIL)";
		$token = "~$skip|@(?<rule>$name)|$url\\(\\s*+(?<inside>$string|(?:[^)\\\\]|\\\\.)*+)|$name(*SKIP)(*FAIL)~is";
		if ( false === preg_match_all( $token, $css, $found, PREG_SET_ORDER ) ) {
			return 'text that cannot be read as CSS';
		}
		foreach ( $found as $one ) {
			if ( ! isset( $one['inside'] ) ) {
				if ( 'import' === strtolower( self::unescape( $one['rule'] ) ) ) {
					return 'an @import rule';
				}
			} elseif ( self::runs( trim( self::unescape( $one['inside'] ), "\"' \t\n\r\f" ), false ) ) {
				return 'a script address';
			}
		}
		return null;
	}

	/**
	 * Whether an address runs a script when it is followed.
	 *
	 * @param string $address The address, character references resolved.
	 * @param bool   $list    Whether it may be one of several, or follow other text.
	 * @return bool
	 */
	private static function runs( $address, $list ) {
		// Browsers drop these before they look at the scheme.
		$plain = strtolower( preg_replace( '/[\x00-\x20]+/', '', $address ) );
		$start = $list ? '(?:^|[;,=])[\'"]?' : '^';
		return 1 === preg_match( "#$start(?:javascript|vbscript|livescript):#", $plain )
			|| 1 === preg_match( '#^data:(?:text/html|text/xml|application/xhtml|application/xml|image/svg\+xml)[^,]*,.*(?:<|%3c)script#', $plain );
	}

	/**
	 * CSS text with its escapes resolved.
	 *
	 * @param string $text The text as written.
	 * @return string
	 */
	private static function unescape( $text ) {
		return (string) preg_replace_callback(
			'/\\\\(?:([0-9a-f]{1,6})[ \t\n\r\f]?|(.))/is',
			static function ( $found ) {
				if ( isset( $found[2] ) && '' !== $found[2] ) {
					return $found[2];
				}
				$code = hexdec( $found[1] );
				return $code > 0 && $code < 128 ? chr( $code ) : '?';
			},
			$text
		);
	}
}
