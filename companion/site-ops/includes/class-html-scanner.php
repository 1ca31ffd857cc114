<?php
/**
 * Reading HTML tag by tag, as a browser does.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * A tokenizer after the HTML standard. WordPress's own tag processor is not used for this: up to the versions this
 * plugin supports it skips text that a browser would read as tags (a raw-text element inside svg, a comment opened
 * inside style), and what it skips nobody judges. Where the meaning of a text depends on the tree a browser builds,
 * both meanings are judged, or the text is refused as ambiguous.
 */
final class Html_Scanner {

	/** Elements whose content is text and no tags, outside svg and math. */
	const RAW = array( 'script', 'style', 'title', 'textarea', 'xmp', 'noembed', 'noframes', 'noscript' );

	/** Elements of svg and math in which HTML may stand. */
	const INTEGRATION = array( 'foreignobject', 'desc', 'title', 'annotation-xml', 'mi', 'mo', 'mn', 'ms', 'mtext' );

	/** Elements that end svg and math wherever they stand. */
	const BREAKOUT = array( 'b', 'big', 'blockquote', 'body', 'br', 'center', 'code', 'dd', 'div', 'dl', 'dt', 'em', 'embed', 'font', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'hr', 'i', 'img', 'li', 'listing', 'menu', 'meta', 'nobr', 'ol', 'p', 'pre', 'ruby', 's', 'small', 'span', 'strong', 'strike', 'sub', 'sup', 'table', 'tt', 'u', 'ul', 'var' );

	/** How deep raw-text elements are read within each other. */
	const DEPTH_MAX = 4;

	/** @var string The text. */
	private $html;

	/** @var callable Judges a tag. */
	private $judge;

	/** @var int Where reading goes on. */
	private $at = 0;

	/** @var string[] The open elements of svg or math, outermost first. */
	private $foreign = array();

	/** @var bool Whether a browser may be elsewhere in svg or math than this reader. */
	private $murky = false;

	/** @var bool Whether svg or math was opened at all. */
	private $foreign_seen = false;

	/** @var bool Whether a select is open: older browsers drop svg and math in it, newer ones do not. */
	private $select = false;

	/**
	 * Reads a text.
	 *
	 * @param string   $html  The text.
	 * @param callable $judge Gets the name of a start tag in lower case, its attributes as pairs of name and decoded
	 *                        value, whether it may stand in svg or math, and the text of a raw-text element (else '');
	 *                        gives what is wrong with it, or null.
	 */
	public function __construct( $html, callable $judge ) {
		$this->html  = $html;
		$this->judge = $judge;
	}

	/**
	 * The first fault.
	 *
	 * @param int $depth How many raw-text elements stand around the text.
	 * @return string|null
	 */
	public function fault( $depth = 0 ) {
		while ( true ) {
			$start = strpos( $this->html, '<', $this->at );
			if ( false === $start ) {
				return null;
			}
			$next     = substr( $this->html, $start + 1, 1 );
			$this->at = $start + 1;
			if ( '!' === $next || '?' === $next ) {
				$fault = $this->skip_comment( $start );
			} elseif ( '/' === $next && ! ctype_alpha( substr( $this->html, $start + 2, 1 ) ) ) {
				$fault = $this->skip_to( '>', $start, 'an unfinished tag' );
			} elseif ( '/' === $next ) {
				$fault = $this->end_tag( $start );
			} elseif ( ctype_alpha( $next ) ) {
				$fault = $this->start_tag( $start, $depth );
			} else {
				continue;
			}
			if ( null !== $fault ) {
				return $fault;
			}
		}
	}

	/**
	 * Passes a comment, or what browsers take for one.
	 *
	 * @param int $start Where it begins.
	 * @return string|null
	 */
	private function skip_comment( $start ) {
		if ( 0 !== substr_compare( $this->html, '<!--', $start, 4 ) ) {
			if ( ( $this->foreign || $this->murky ) && 0 === substr_compare( $this->html, '<![CDATA[', $start, 9 ) ) {
				return 'a CDATA section';
			}
			return $this->skip_to( '>', $start, 'an unclosed comment' );
		}
		if ( preg_match( '/\G<!--(?:-?>|.*?--!?>)/s', $this->html, $found, 0, $start ) ) {
			$this->at = $start + strlen( $found[0] );
			return null;
		}
		return 'an unclosed comment';
	}

	/**
	 * Passes everything up to a character.
	 *
	 * @param string $what  The character.
	 * @param int    $start Where to look from.
	 * @param string $fault What is wrong when it does not come.
	 * @return string|null
	 */
	private function skip_to( $what, $start, $fault ) {
		$end = strpos( $this->html, $what, $start );
		if ( false === $end ) {
			return $fault;
		}
		$this->at = $end + 1;
		return null;
	}

	/**
	 * Reads an end tag.
	 *
	 * @param int $start Where it begins.
	 * @return string|null
	 */
	private function end_tag( $start ) {
		$tag = $this->tag( $start + 2 );
		if ( null === $tag ) {
			return 'an unfinished tag';
		}
		if ( $this->foreign && array_pop( $this->foreign ) !== $tag['name'] ) {
			$this->murky = true;
		}
		$this->select = $this->select && 'select' !== $tag['name'];
		return null;
	}

	/**
	 * Reads a start tag, and the text of a raw-text element with it.
	 *
	 * @param int $start Where it begins.
	 * @param int $depth As in fault().
	 * @return string|null
	 */
	private function start_tag( $start, $depth ) {
		$tag = $this->tag( $start + 1 );
		if ( null === $tag ) {
			return 'an unfinished tag';
		}
		$name = $tag['name'];
		if ( 'plaintext' === $name ) {
			return 'the element plaintext';
		}
		if ( $this->foreign ) {
			$this->murky = $this->murky
				|| in_array( end( $this->foreign ), self::INTEGRATION, true )
				|| in_array( $name, self::BREAKOUT, true );
		}
		if ( 'svg' === $name || 'math' === $name ) {
			$this->foreign_seen = true;
			$this->murky        = $this->murky || $this->select;
		}
		$this->select = $this->select || 'select' === $name;
		$inside       = array() !== $this->foreign && ! $this->murky;
		if ( $inside || 'svg' === $name || 'math' === $name ) {
			if ( ! $tag['closed'] ) {
				$this->foreign[] = $name;
			}
		}
		$maybe = $inside || ( $this->murky && $this->foreign_seen );
		$text  = '';
		if ( ! $inside && in_array( $name, self::RAW, true ) ) {
			$text = $this->raw( $name );
			if ( null === $text ) {
				return "the element $name without its end";
			}
			$fault = $this->raw_fault( $name, $text, $depth );
			if ( null !== $fault ) {
				return $fault;
			}
		}
		return call_user_func( $this->judge, $name, $tag['attributes'], $maybe, $text );
	}

	/**
	 * The text of a raw-text element up to its end tag; null when that does not come.
	 *
	 * @param string $name Name of the element.
	 * @return string|null
	 */
	private function raw( $name ) {
		if ( ! preg_match( '~</' . $name . '(?=[\t\n\f\r />])~i', $this->html, $found, PREG_OFFSET_CAPTURE, $this->at ) ) {
			return null;
		}
		$text     = substr( $this->html, $this->at, $found[0][1] - $this->at );
		$this->at = $found[0][1];
		return $text;
	}

	/**
	 * What is wrong with the text of a raw-text element. Where it might be read as tags, it is judged so as well.
	 *
	 * @param string $name  Name of the element.
	 * @param string $text  Its text.
	 * @param int    $depth As in fault().
	 * @return string|null
	 */
	private function raw_fault( $name, $text, $depth ) {
		$tags = preg_match( '~<[a-z/!?]~i', $text );
		if ( 'script' === $name ) {
			if ( preg_match( '/<!--.*<script/is', $text ) ) {
				return 'a script that opens a comment and a script';
			}
			return $tags && $this->murky && $this->foreign_seen ? 'a script after svg or math that is not well formed' : null;
		}
		if ( ! $tags ) {
			return null;
		}
		if ( $depth >= self::DEPTH_MAX ) {
			return 'text elements within each other';
		}
		$this->murky = true;
		$inner       = new self( $text, $this->judge );
		return $inner->fault( $depth + 1 );
	}

	/**
	 * Reads a tag's name and attributes and goes behind it; null when the text ends first.
	 *
	 * @param int $at Where the name begins.
	 * @return array|null name, attributes, closed.
	 */
	private function tag( $at ) {
		$length     = strcspn( $this->html, "\t\n\f\r />", $at );
		$name       = strtolower( substr( $this->html, $at, $length ) );
		$at        += $length;
		$attributes = array();
		while ( true ) {
			$skipped = strspn( $this->html, "\t\n\f\r /", $at );
			$closed  = $skipped > 0 && '/' === $this->html[ $at + $skipped - 1 ];
			$at     += $skipped;
			if ( ! isset( $this->html[ $at ] ) ) {
				return null;
			}
			if ( '>' === $this->html[ $at ] ) {
				$this->at = $at + 1;
				return compact( 'name', 'attributes', 'closed' );
			}
			// An equals sign in the first place belongs to the name.
			$length = 1 + strcspn( $this->html, "\t\n\f\r />=", $at + 1 );
			$key    = strtolower( substr( $this->html, $at, $length ) );
			$at    += $length;
			$value  = $this->value( $at );
			if ( null === $value ) {
				return null;
			}
			$attributes[] = array( $key, self::decode( $value ) );
		}
	}

	/**
	 * Reads an attribute's value, if it has one; null when the text ends first.
	 *
	 * @param int $at Where the name ended; moved behind the value.
	 * @return string|null
	 */
	private function value( &$at ) {
		$equals = $at + strspn( $this->html, "\t\n\f\r ", $at );
		if ( ! isset( $this->html[ $equals ] ) || '=' !== $this->html[ $equals ] ) {
			return '';
		}
		$at    = $equals + 1;
		$at   += strspn( $this->html, "\t\n\f\r ", $at );
		$quote = substr( $this->html, $at, 1 );
		if ( '"' === $quote || "'" === $quote ) {
			$end = strpos( $this->html, $quote, $at + 1 );
			if ( false === $end ) {
				return null;
			}
			$value = substr( $this->html, $at + 1, $end - $at - 1 );
			$at    = $end + 1;
			return $value;
		}
		$length = strcspn( $this->html, "\t\n\f\r >", $at );
		$value  = substr( $this->html, $at, $length );
		$at    += $length;
		return $value;
	}

	/**
	 * A value with its character references resolved; numeric ones as browsers do, also without a semicolon.
	 *
	 * @param string $value The value as written.
	 * @return string
	 */
	private static function decode( $value ) {
		if ( false === strpos( $value, '&' ) ) {
			return $value;
		}
		$value = preg_replace( '/&#(x[0-9a-f]+|[0-9]+);?/i', '&#$1;', $value );
		return html_entity_decode( $value, ENT_QUOTES | ENT_HTML5, 'UTF-8' );
	}
}
