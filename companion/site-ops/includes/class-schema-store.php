<?php
/**
 * Where a site's custom schema is kept.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Entries of custom schema in the store of another plugin. An entry is
 * {post_id, type, status, title, value_type, value, targets}; targets is what its plugin notes of the pages it shows on,
 * null for an entry that belongs to one page; value_type is one of
 *   string  a text: JSON-LD, bare or in one script element, as the plugin keeps it;
 *   array   a PHP array: a JSON list, or a JSON object;
 *   none    the entry is of a kind whose markup the plugin makes itself; it cannot be written.
 */
abstract class Schema_Store {

	/**
	 * The store of this site; null where no plugin has one.
	 *
	 * @return Schema_Store|null
	 */
	public static function active() {
		if ( post_type_exists( Schema_Pro::TYPE ) ) {
			return new Schema_Pro();
		}
		return defined( 'RANK_MATH_VERSION' ) ? new Schema_Rank_Math() : null;
	}

	/**
	 * Its name in answers.
	 *
	 * @return string
	 */
	abstract public function id();

	/**
	 * Numbers of the posts that hold an entry, in rising order.
	 *
	 * @return int[]
	 */
	abstract public function ids();

	/**
	 * An entry; null where that post holds none.
	 *
	 * @param int $id Number of the post.
	 * @return array|null
	 */
	abstract public function entry( $id );

	/**
	 * Stores a value whose type has been checked; nothing of where the entry shows is touched.
	 *
	 * @param int   $id    Number of the post.
	 * @param mixed $value The value: a string, or lists and objects.
	 * @return WP_Error|null
	 */
	abstract public function save( $id, $value );

	/**
	 * Who keeps the rows of entries, and its version.
	 *
	 * @return string
	 */
	abstract public function plugin();

	/**
	 * What is stored of the value of an entry.
	 *
	 * @param int $id Number of the post.
	 * @return array[] As Stored_Seo::rows().
	 */
	abstract public function rows_of( $id );

	/**
	 * Has these rows stand there.
	 *
	 * @param \WP_Post $post The post.
	 * @param array    $rows Values by name, each a row that is there.
	 * @return WP_Error|null
	 */
	abstract public function put( \WP_Post $post, array $rows );

	/**
	 * Whether an entry that visitors see may be written without being allowed to by name.
	 *
	 * @return bool
	 */
	abstract public function guards_published();

	/**
	 * How many entries there are.
	 *
	 * @return int
	 */
	public function count() {
		return count( $this->ids() );
	}

	/**
	 * The JSON of a text as it is sent: all of it, or what its one script element holds.
	 *
	 * @param string $text The text.
	 * @return string
	 */
	private static function json( $text ) {
		$script = '~^\s*<script(?:\s+(?:type\s*=\s*["\']?application/ld\+json["\']?|(?:id|class)\s*=\s*(?:"[^"<>]*"|\'[^\'<>]*\')))*\s*>(.*?)</script\s*>\s*$~is';
		return preg_match( $script, $text, $found ) ? $found[1] : $text;
	}

	/**
	 * A new text in the form of the old one: in a script element if that was. The JSON cannot leave the element, and
	 * makes none where its plugin prints it without one.
	 *
	 * @param string $old The text as stored.
	 * @param string $new The text as sent.
	 * @return string|WP_Error
	 */
	protected static function reworded( $old, $new ) {
		$json  = self::json( $new );
		$value = Json::parse( $json );
		if ( is_wp_error( $value ) ) {
			return $value;
		}
		if ( ! is_array( $value ) && ! is_object( $value ) ) {
			return Errors::make( 'invalid_json', __( 'The text is JSON, but neither an object nor a list', 'site-ops' ) );
		}
		$large = Json::too_large( $json );
		$frame = self::frame( $old );
		if ( $large || is_wp_error( $frame ) ) {
			return $large ? $large : $frame;
		}
		return $frame[0] . str_replace( '<', '\u003C', trim( $json ) ) . $frame[1];
	}

	/**
	 * What stands around the JSON of a stored text, which its plugin prints as it is: nothing, or a script element and
	 * all beside it.
	 *
	 * @param string $text The text as stored.
	 * @return string[]|WP_Error What stands before, and what behind; an error where there are several elements.
	 */
	private static function frame( $text ) {
		$elements = preg_match_all( '~<script\b~i', $text );
		if ( 0 === $elements || null !== json_decode( $text ) ) {
			return array( '', '' );
		}
		if ( 1 === $elements && preg_match( '~^(.*<script\b[^<>]*>\s*).*?(\s*</script\s*>.*)$~is', $text, $found ) ) {
			return array( $found[1], $found[2] );
		}
		$said = __( 'The entry holds more than one script element, or one that is not whole: change it in its plugin', 'site-ops' );
		return Errors::make( 'value_type', $said );
	}
}
