<?php
/**
 * Structured data of posts, kept by this plugin.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Post meta _site_ops_schema: a JSON text by its number, each entry in a row of its own, so that none is lost when
 * several are sent at once. Seo_Output shows them, whichever SEO plugin is active.
 */
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
		foreach ( self::stored( $id ) as $row ) {
			foreach ( array_filter( $row, 'is_string' ) as $entry_id => $text ) {
				$schema = json_decode( $text );
				if ( null !== $schema ) {
					$entries[] = array(
						'entry_id' => (string) $entry_id,
						'type'     => Seo_Schema::type( $schema ),
						'schema'   => $schema,
					);
				}
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
		$text = Json::text( $schema );
		if ( null === $entry_id ) {
			$entry_id = 'so-' . substr( wp_generate_uuid4(), 0, 8 );
			add_post_meta( $id, self::KEY, wp_slash( array( $entry_id => $text ) ) );
			return $entry_id;
		}
		foreach ( self::stored( $id ) as $row ) {
			if ( isset( $row[ $entry_id ] ) ) {
				update_post_meta( $id, self::KEY, wp_slash( array( $entry_id => $text ) + $row ), $row );
				return $entry_id;
			}
		}
		return Seo_Schema::missing( $entry_id );
	}

	/**
	 * The texts of the entries as they are stored.
	 *
	 * @param int $id Number of the post.
	 * @return array[] As Stored_Seo::rows().
	 */
	public static function rows( $id ) {
		$rows = array();
		foreach ( self::stored( $id ) as $row ) {
			foreach ( array_filter( $row, 'is_string' ) as $entry_id => $text ) {
				$rows[ $entry_id ] = array(
					'of'     => $entry_id,
					'values' => array( $text ),
				);
			}
		}
		return $rows;
	}

	/**
	 * Has that text stand in an entry that is there.
	 *
	 * @param int    $id       Number of the post.
	 * @param string $entry_id The entry.
	 * @param string $text     The text.
	 */
	public static function put( $id, $entry_id, $text ) {
		foreach ( self::stored( $id ) as $row ) {
			if ( isset( $row[ $entry_id ] ) ) {
				$new = array();
				foreach ( $row as $name => $one ) {
					$new[ $name ] = $name === $entry_id ? $text : $one;
				}
				update_post_meta( $id, self::KEY, wp_slash( $new ), $row );
			}
		}
	}

	/**
	 * JSON texts by number, row by row.
	 *
	 * @param int $id Number of the post.
	 * @return array[]
	 */
	private static function stored( $id ) {
		return array_filter( get_post_meta( $id, self::KEY ), 'is_array' );
	}
}
