<?php
/**
 * Structured data of posts, kept by this plugin.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Post meta _site_ops_schema: JSON texts by number. Seo_Output shows them, whichever SEO plugin is active. */
final class Seo_Schema_Own {

	const KEY = '_site_ops_schema';

	/**
	 * The entries of a post.
	 *
	 * @param int $id Number of the post.
	 * @return array[] entry_id, type, schema.
	 */
	public function entries( $id ) {
		$entries = array();
		foreach ( $this->stored( $id ) as $entry_id => $text ) {
			$schema = json_decode( $text );
			if ( null !== $schema ) {
				$entries[] = array(
					'entry_id' => (string) $entry_id,
					'type'     => Seo_Schema::type( $schema ),
					'schema'   => $schema,
				);
			}
		}
		return $entries;
	}

	/**
	 * Adds an entry, or replaces one.
	 *
	 * @param int         $id       Number of the post.
	 * @param mixed       $schema   The structured data.
	 * @param string      $type     Its types.
	 * @param string|null $entry_id The entry to replace.
	 * @return string|WP_Error Number of the entry.
	 */
	public function save( $id, $schema, $type, $entry_id ) {
		$stored = $this->stored( $id );
		if ( null !== $entry_id && ! isset( $stored[ $entry_id ] ) ) {
			return Seo_Schema::missing( $entry_id );
		}
		if ( null === $entry_id ) {
			$entry_id = 'so-' . substr( wp_generate_uuid4(), 0, 8 );
		}
		$stored[ $entry_id ] = Json::text( $schema );
		update_post_meta( $id, self::KEY, wp_slash( $stored ) );
		return $entry_id;
	}

	/**
	 * JSON texts by number.
	 *
	 * @param int $id Number of the post.
	 * @return string[]
	 */
	private function stored( $id ) {
		$stored = get_post_meta( $id, self::KEY, true );
		return is_array( $stored ) ? array_filter( $stored, 'is_string' ) : array();
	}
}
