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
	 * The JSON within a text: all of it, or what one script element holds.
	 *
	 * @param string $text The text.
	 * @return string[] What stands before the JSON, the JSON, and what stands behind it.
	 */
	protected static function parts( $text ) {
		$script = '~^(\s*<script(?:\s+(?:type\s*=\s*["\']?application/ld\+json["\']?|(?:id|class)\s*=\s*(?:"[^"<>]*"|\'[^\'<>]*\')))*\s*>\s*)(.*?)(\s*</script\s*>\s*)$~is';
		return preg_match( $script, $text, $found ) ? array( $found[1], $found[2], $found[3] ) : array( '', $text, '' );
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
		$json  = self::parts( $new )[1];
		$value = Json::parse( $json );
		if ( is_wp_error( $value ) ) {
			return $value;
		}
		if ( ! is_array( $value ) && ! is_object( $value ) ) {
			return Errors::make( 'invalid_json', __( 'The text is JSON, but neither an object nor a list', 'site-ops' ) );
		}
		$large = Json::too_large( $json );
		list( $before, , $after ) = self::parts( $old );
		return $large ? $large : $before . str_replace( '<', '\u003C', trim( $json ) ) . $after;
	}
}
