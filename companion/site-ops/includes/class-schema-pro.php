<?php
/**
 * Custom schema kept by Schema Pro.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Posts of the type aiosrs-schema. The markup stands in the meta bsf-aiosrs-custom-markup: a text, or an array that
 * holds the text under custom-markup-custom-text. Where an entry shows is other meta, which nothing here writes.
 */
final class Schema_Pro extends Schema_Store {

	const TYPE   = 'aiosrs-schema';
	const MARKUP = 'bsf-aiosrs-custom-markup';
	const TEXT   = 'custom-markup-custom-text';
	const CACHE  = 'wp_schema_pro_optimized_structured_data';

	/** Meta that says on which pages an entry shows, by their names in answers. */
	const TARGETS = array(
		'shown_on'  => 'bsf-aiosrs-schema-location',
		'hidden_on' => 'bsf-aiosrs-schema-exclusion',
	);

	/** {@inheritDoc} */
	public function id() {
		return 'schemapro';
	}

	/** {@inheritDoc} */
	public function ids() {
		$asked = array(
			'post_type'      => self::TYPE,
			'post_status'    => array( 'publish', 'draft', 'pending', 'future', 'private' ),
			'posts_per_page' => -1,
			'fields'         => 'ids',
			'orderby'        => 'ID',
			'order'          => 'ASC',
		);
		return get_posts( $asked );
	}

	/** {@inheritDoc} */
	public function entry( $id ) {
		$post = get_post( $id );
		if ( ! $post || self::TYPE !== $post->post_type || 'trash' === $post->post_status ) {
			return null;
		}
		$value = get_post_meta( $id, self::MARKUP, true );
		$type  = is_array( $value ) ? 'array' : 'string';
		if ( array() === $value || '' === $value ) {
			$type  = 'none';
			$value = null;
		}
		return array(
			'post_id'    => $post->ID,
			'type'       => (string) get_post_meta( $id, 'bsf-aiosrs-schema-type', true ),
			'status'     => $post->post_status,
			'title'      => $post->post_title,
			'value_type' => $type,
			'value'      => $value,
			'targets'    => self::targets( $id ),
		);
	}

	/** {@inheritDoc} */
	public function save( $id, $value ) {
		$large = is_string( $value ) ? null : Json::too_large( Json::text( $value ) );
		if ( $large ) {
			return $large;
		}
		$old = get_post_meta( $id, self::MARKUP, true );
		$new = is_string( $value ) ? self::reworded( $old, $value ) : Json::arrays( $value );
		if ( is_array( $new ) && is_array( $old ) && array_keys( $old ) !== range( 0, count( $old ) - 1 ) ) {
			if ( array_key_exists( self::TEXT, $new ) ) {
				$was               = isset( $old[ self::TEXT ] ) ? $old[ self::TEXT ] : '';
				$new[ self::TEXT ] = self::retext( is_string( $was ) ? $was : '', $new[ self::TEXT ] );
			}
			// What was not sent stays.
			$new = isset( $new[ self::TEXT ] ) && is_wp_error( $new[ self::TEXT ] ) ? $new[ self::TEXT ] : $new + $old;
		} elseif ( array() === $new ) {
			$new = Errors::make( 'value_type', __( 'value is empty: an entry keeps its markup', 'site-ops' ) );
		}
		if ( is_wp_error( $new ) ) {
			return $new;
		}
		update_post_meta( $id, self::MARKUP, wp_slash( $new ) );
		// Each page keeps a copy of what all entries give it.
		delete_post_meta_by_key( self::CACHE );
		return null;
	}

	/** {@inheritDoc} */
	public function plugin() {
		return trim( 'schemapro ' . ( defined( 'BSF_AIOSRS_PRO_VER' ) ? BSF_AIOSRS_PRO_VER : '' ) );
	}

	/** {@inheritDoc} */
	public function rows_of( $id ) {
		return array(
			self::MARKUP => array(
				'of'     => 'value',
				'values' => Stored_Rows::values( $id, self::MARKUP ),
			),
		);
	}

	/** {@inheritDoc} */
	public function put( \WP_Post $post, array $rows ) {
		foreach ( $rows as $key => $values ) {
			Stored_Rows::store( $post->ID, $key, $values );
		}
		delete_post_meta_by_key( self::CACHE );
		return null;
	}

	/** An entry of Schema Pro is a setting that shows on many pages, not a page. */
	public function guards_published() {
		return false;
	}

	/**
	 * The text within an array, which Schema Pro prints as it is.
	 *
	 * @param string $old The text as stored.
	 * @param mixed  $new What was sent for it.
	 * @return string|WP_Error
	 */
	private static function retext( $old, $new ) {
		if ( is_string( $new ) ) {
			return self::reworded( $old, $new );
		}
		/* translators: %s: name of a part of the markup */
		return Errors::make( 'value_type', sprintf( __( 'value.%s must be a string', 'site-ops' ), self::TEXT ) );
	}

	/**
	 * On which pages an entry shows, as Schema Pro notes it; what is not noted is null.
	 *
	 * @param int $id Number of the post.
	 * @return array
	 */
	private static function targets( $id ) {
		return array_map(
			static function ( $key ) use ( $id ) {
				return metadata_exists( 'post', $id, $key ) ? get_post_meta( $id, $key, true ) : null;
			},
			self::TARGETS
		);
	}
}
