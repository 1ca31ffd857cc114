<?php
/**
 * What is looked for, and where it stands in a post, a menu item or a widget.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Parts of a text that follow each other, upper and lower case alike; the gateway judges the places by its own rules. */
final class Find_Texts {

	/** Meta that says what a page is made with. */
	const MADE_WITH = array( '_elementor_edit_mode', '_site_ops_scope' );

	/** Fields of widgets that are texts. */
	const WIDGET_FIELDS = array( 'title', 'text', 'content', 'caption', 'alt' );

	/** Bytes told on each side of a place, places told of one text, and how deep what a builder keeps is looked into. */
	const AROUND = 160;
	const SPOTS  = 3;
	const LEVELS = 40;

	/**
	 * The parts.
	 *
	 * @var string[]
	 */
	private $parts;

	/**
	 * As a pattern.
	 *
	 * @var string
	 */
	private $pattern;

	/**
	 * What may stand between two parts: signs that are no letters and figures, however HTML, JSON or an address writes them,
	 * and words for @ and the dot; between figures only signs. Each sign is read in one way, so that no text takes long. With how
	 * many of them there may be.
	 */
	const BETWEEN = array(
		'few'        => array( '&[a-z#0-9]{1,8};|\\\\u[0-9a-f]{4}|%[0-9a-f]{2}|(?<![\p{L}\p{N}])(?:at|dot|punkt)(?![\p{L}\p{N}])|[^\p{L}\p{N}]', 24 ),
		'separators' => array( '&[a-z#0-9]{1,8};|\\\\u[0-9a-f]{4}|%[0-9a-f]{2}|[^\p{L}\p{N}<>"]', 8 ),
	);

	/**
	 * Takes the parts.
	 *
	 * @param string[] $parts   Texts that follow each other.
	 * @param string   $between A key of BETWEEN.
	 */
	public function __construct( array $parts, $between ) {
		list( $sign, $most ) = self::BETWEEN[ $between ];
		$this->parts         = $parts;
		// The sign stands there once, for a pattern with a copy of it behind each of many parts is too large for PHP.
		$this->pattern = '/(?(DEFINE)(?<sign>' . $sign . '))' .
			implode( '(?&sign){0,' . $most . '}?', array_map( array( __CLASS__, 'literal' ), $parts ) ) . '/iu';
	}

	/**
	 * A text as a pattern that is that text alone.
	 *
	 * @param string $part A text.
	 * @return string
	 */
	private static function literal( $part ) {
		return preg_quote( $part, '/' );
	}

	/**
	 * What LIKE finds all rows with that may hold it: letters and figures of ASCII in their order, for JSON and HTML may write
	 * all other signs in other ways, and not every database knows their upper case.
	 *
	 * @return string
	 */
	public function like() {
		return '%' . trim( preg_replace( '/[^a-z0-9]+/i', '%', implode( '%', $this->parts ) ), '%' ) . '%';
	}

	/**
	 * The meta that is looked into, with the name of the field.
	 *
	 * @return string[] By key.
	 */
	public static function keys() {
		static $keys = null;
		if ( null === $keys ) {
			$keys = array(
				'_elementor_data' => 'builder',
				'_site_ops_css'   => 'css',
				'_site_ops_js'    => 'js',
				'_menu_item_url'  => 'url',
			);
			foreach ( Seo_Provider::active()->text_keys() as $name => $key ) {
				$keys[ $key ] = 'seo.' . $name;
			}
		}
		return $keys;
	}

	/**
	 * Places in a post and its meta.
	 *
	 * @param object $row A row with its meta.
	 * @return array[]
	 */
	public function in_post( $row ) {
		$is_menu = 'nav_menu_item' === $row->post_type;
		$fields  = array(
			$is_menu ? 'label' : 'title'         => $row->post_title,
			$is_menu ? 'description' : 'content' => $row->post_content,
			$is_menu ? 'hint' : 'excerpt'        => $row->post_excerpt,
		);
		$about   = array(
			'kind'   => isset( Find::AROUND[ $row->post_type ] ) ? Find::AROUND[ $row->post_type ] : 'post',
			'id'     => (int) $row->ID,
			'type'   => $row->post_type,
			'status' => $row->post_status,
			'title'  => $row->post_title,
			'made'   => self::made( $row->site_ops_meta ),
		);
		$places  = array();
		foreach ( $fields as $field => $text ) {
			$places[] = $this->place( $about, $field, $text );
		}
		foreach ( array_intersect_key( $row->site_ops_meta, self::keys() ) as $key => $text ) {
			$field = self::keys()[ $key ];
			$tree  = 'builder' === $field ? json_decode( $text, true ) : null;
			if ( is_array( $tree ) ) {
				$places = array_merge( $places, $this->in_tree( $about, $tree, '', '', 0 ) );
			} else {
				$places[] = $this->place( $about, $field, $text );
			}
		}
		return array_values( array_filter( $places ) );
	}

	/**
	 * What a page is made with: visual, code, or null.
	 *
	 * @param string[] $meta By key.
	 * @return string|null
	 */
	private static function made( array $meta ) {
		if ( isset( $meta['_elementor_edit_mode'] ) && 'builder' === $meta['_elementor_edit_mode'] && defined( 'ELEMENTOR_VERSION' ) ) {
			return 'visual';
		}
		return empty( $meta['_site_ops_scope'] ) ? null : 'code';
	}

	/**
	 * Places in the texts of what the visual builder keeps.
	 *
	 * @param array  $about   What holds it.
	 * @param array  $node    Elements, an element, or settings.
	 * @param string $element The element, as `heading 1a2b3c`.
	 * @param string $path    The setting within it.
	 * @param int    $level   How deep that is.
	 * @return array[]
	 */
	private function in_tree( array $about, array $node, $element, $path, $level ) {
		if ( isset( $node['elType'], $node['id'] ) && is_string( $node['id'] ) ) {
			$kind    = isset( $node['widgetType'] ) ? $node['widgetType'] : $node['elType'];
			$element = ( is_string( $kind ) ? $kind : '' ) . ' ' . $node['id'];
			$path    = '';
		}
		$places = array();
		foreach ( $node as $key => $value ) {
			$at = in_array( $key, array( 'settings', 'elements' ), true ) ? $path : ltrim( "$path.$key", '.' );
			if ( is_array( $value ) && $level < self::LEVELS ) {
				$places = array_merge( $places, $this->in_tree( $about, $value, $element, $at, $level + 1 ) );
			} elseif ( is_string( $value ) ) {
				$place = $this->place( $about, 'builder', $value );
				if ( $place ) {
					$places[] = $place + array( 'within' => trim( "$element $at" ) );
				}
			}
		}
		return $places;
	}

	/**
	 * Places in the widgets that the site shows.
	 *
	 * @return array[]
	 */
	public function in_widgets() {
		global $wp_registered_sidebars;
		$places = array();
		foreach ( wp_get_sidebars_widgets() as $area => $widgets ) {
			if ( 'wp_inactive_widgets' === $area || ! is_array( $widgets ) ) {
				continue;
			}
			foreach ( $widgets as $id ) {
				$options = get_option( 'widget_' . preg_replace( '/-\d+$/', '', $id ) );
				$number  = (int) preg_replace( '/^.*-/', '', $id );
				$fields  = is_array( $options ) && isset( $options[ $number ] ) ? (array) $options[ $number ] : array();
				$name    = isset( $wp_registered_sidebars[ $area ]['name'] ) ? $wp_registered_sidebars[ $area ]['name'] : $area;
				foreach ( array_intersect_key( $fields, array_flip( self::WIDGET_FIELDS ) ) as $field => $text ) {
					$about    = array(
						'kind'   => 'widget',
						'id'     => (string) $id,
						'title'  => isset( $fields['title'] ) && is_string( $fields['title'] ) ? $fields['title'] : '',
						'within' => (string) $name,
					);
					$places[] = is_string( $text ) ? $this->place( $about, $field, $text ) : null;
				}
			}
		}
		return array_values( array_filter( $places ) );
	}

	/**
	 * A text that holds it; null for one that does not.
	 *
	 * @param array  $about What has the text.
	 * @param string $field Its name.
	 * @param string $text  The text.
	 * @return array|null times, and spots: what is before, what was found, what is after, whether the text goes on on each side.
	 */
	private function place( array $about, $field, $text ) {
		$text  = (string) $text;
		$count = preg_match_all( $this->pattern, $text, $found, PREG_OFFSET_CAPTURE );
		if ( false === $count ) {
			$text  = wp_check_invalid_utf8( $text, true );
			$count = preg_match_all( $this->pattern, $text, $found, PREG_OFFSET_CAPTURE );
		}
		if ( ! $count ) {
			return null;
		}
		$spots = array();
		foreach ( array_slice( $found[0], 0, self::SPOTS ) as $one ) {
			$start   = max( 0, $one[1] - self::AROUND );
			$end     = $one[1] + strlen( $one[0] );
			$spots[] = array(
				preg_replace( '/^[\x80-\xBF]+/', '', substr( $text, $start, $one[1] - $start ) ),
				$one[0],
				self::whole( substr( $text, $end, self::AROUND ), strlen( $text ) > $end + self::AROUND ),
				$start > 0,
				strlen( $text ) > $end + self::AROUND,
			);
		}
		return $about + array(
			'field' => $field,
			'times' => $count,
			'spots' => $spots,
		);
	}

	/**
	 * A text without the half of a letter at its end.
	 *
	 * @param string $text   Some bytes.
	 * @param bool   $is_cut Whether a cut went through.
	 * @return string
	 */
	private static function whole( $text, $is_cut ) {
		return $is_cut ? preg_replace( '/[\xC0-\xFF][\x80-\xBF]{0,3}$/', '', $text ) : (string) $text;
	}
}
