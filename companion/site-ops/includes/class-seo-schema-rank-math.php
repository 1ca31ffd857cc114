<?php
/**
 * Structured data of posts, kept by Rank Math.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Post meta rank_math_schema_<Type>, one row an entry; an entry's number is Rank Math's own, schema-<meta id>. */
final class Seo_Schema_Rank_Math {

	const PREFIX = 'rank_math_schema_';

	/**
	 * The entries of a post.
	 *
	 * @param int $id Number of the post.
	 * @return array[] entry_id, type, schema.
	 */
	public function entries( $id ) {
		$entries = array();
		foreach ( self::rows( $id ) as $row ) {
			$entries[] = array(
				'entry_id' => 'schema-' . $row['meta_id'],
				'type'     => substr( $row['meta_key'], strlen( self::PREFIX ) ),
				'schema'   => array_diff_key( $row['value'], array( 'metadata' => true ) ),
			);
		}
		return $entries;
	}

	/**
	 * Adds an entry, or replaces one; what Rank Math notes about an entry (its title, where it shows) stays.
	 *
	 * @param int         $id       Number of the post.
	 * @param mixed       $schema   The structured data.
	 * @param string      $type     Its types.
	 * @param string|null $entry_id The entry to replace.
	 * @return string|WP_Error Number of the entry.
	 */
	public function save( $id, $schema, $type, $entry_id ) {
		if ( ! is_object( $schema ) || ! preg_match( '/^[A-Za-z0-9]+$/', strtok( $type, ',' ) ) || isset( $schema->{'@graph'} ) ) {
			$said = __( 'Rank Math keeps one object with one @type an entry: send the parts one by one', 'site-ops' );
			return Errors::make( 'invalid_json', $said );
		}
		$loose = self::loose( $schema );
		if ( $loose ) {
			return $loose;
		}
		$key   = self::PREFIX . strtok( $type, ',' );
		$value = Json::arrays( $schema );
		if ( null === $entry_id ) {
			$value['metadata'] = array(
				'type'      => 'custom',
				'title'     => strtok( $type, ',' ),
				'shortcode' => uniqid( 's-' ),
				'isPrimary' => false,
			);
			return 'schema-' . add_post_meta( $id, $key, wp_slash( $value ) );
		}
		foreach ( self::rows( $id ) as $row ) {
			if ( 'schema-' . $row['meta_id'] === $entry_id ) {
				unset( $value['metadata'] );
				$value += array_intersect_key( $row['value'], array( 'metadata' => true ) );
				$was    = substr( $row['meta_key'], strlen( self::PREFIX ) );
				if ( isset( $value['metadata']['title'] ) && $was === $value['metadata']['title'] ) {
					// A title that nobody chose names the type.
					$value['metadata']['title'] = strtok( $type, ',' );
				}
				// Unlike update_post_meta() this one takes the value as it is.
				update_metadata_by_mid( 'post', $row['meta_id'], $value, $key );
				return $entry_id;
			}
		}
		return Seo_Schema::missing( $entry_id );
	}

	/**
	 * Why Rank Math does not print the structured data of a post: it prints none of a page that lists posts (add_schema() in
	 * its class-frontend.php, 1.0.273).
	 *
	 * @param int $id Number of the post.
	 * @return string|null off, list; null where it does.
	 */
	public static function hides( $id ) {
		if ( ! Seo_Rank_Math::has_module( 'rich-snippet' ) ) {
			return 'off';
		}
		$post = get_post( $id );
		return $post && 'posts' === Seo_Effect::place( $post ) ? 'list' : null;
	}

	/**
	 * The structured data that Rank Math makes of a post by itself; it does so while the post has none of its own
	 * (can_add_schema() in snippets/class-singular.php, 1.0.273).
	 *
	 * @param int $id Number of the post.
	 * @return string|null Its type; null for none.
	 */
	public static function automatic( $id ) {
		$asked = array( '\\RankMath\\Helper', 'get_default_schema_type' );
		if ( null !== self::hides( $id ) || ! is_callable( $asked ) || self::rows( $id ) ) {
			return null;
		}
		$type = call_user_func( $asked, $id, true );
		return is_string( $type ) && '' !== $type ? $type : null;
	}

	/**
	 * Refuses texts that would leave the script element into which Rank Math prints them: older versions as they are, later
	 * ones without what looks like an element (wp_kses_post_deep, JSON_UNESCAPED_SLASHES in its class-jsonld.php).
	 *
	 * @param mixed $schema The structured data.
	 * @return WP_Error|null
	 */
	public static function loose( $schema ) {
		if ( ! preg_match( '~</script|<!--~i', Json::text( $schema ) ) ) {
			return null;
		}
		$said = __( 'A text holds </script or <!--, which Rank Math prints as it is: leave it out', 'site-ops' );
		return Errors::make( 'invalid_json', $said );
	}

	/**
	 * Rank Math's rows of a post.
	 *
	 * @param int $id Number of the post.
	 * @return array[] meta_id, meta_key, value, and text: the value as it is stored.
	 */
	public static function rows( $id ) {
		global $wpdb;
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- WordPress has no function that gives the numbers of meta.
		$all  = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, meta_key, meta_value FROM {$wpdb->postmeta} WHERE post_id = %d ORDER BY meta_id", $id ) );
		$rows = array();
		foreach ( $all as $row ) {
			$value = 0 === strpos( $row->meta_key, self::PREFIX ) ? maybe_unserialize( $row->meta_value ) : null;
			if ( is_array( $value ) ) {
				$rows[] = array(
					'meta_id'  => (int) $row->meta_id,
					'meta_key' => $row->meta_key, // phpcs:ignore WordPress.DB.SlowDBQuery.slow_db_query_meta_key
					'value'    => $value,
					'text'     => $row->meta_value,
				);
			}
		}
		return $rows;
	}
}
