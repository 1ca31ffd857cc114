<?php
/**
 * Custom schema kept by Schema Pro.
 *
 * @package SiteOps
 */

namespace SiteOps;

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
		);
	}

	/** {@inheritDoc} */
	public function save( $id, $value ) {
		$old = get_post_meta( $id, self::MARKUP, true );
		$new = is_string( $value ) ? self::reworded( $old, $value ) : Json::arrays( $value );
		if ( is_array( $new ) && is_array( $old ) && array_keys( $old ) !== range( 0, count( $old ) - 1 ) ) {
			if ( isset( $new[ self::TEXT ] ) && is_string( $new[ self::TEXT ] ) ) {
				$was                = isset( $old[ self::TEXT ] ) ? (string) $old[ self::TEXT ] : '';
				$new[ self::TEXT ] = self::reworded( $was, $new[ self::TEXT ] );
			}
			// What was not sent stays.
			$new = isset( $new[ self::TEXT ] ) && is_wp_error( $new[ self::TEXT ] ) ? $new[ self::TEXT ] : $new + $old;
		}
		if ( is_wp_error( $new ) ) {
			return $new;
		}
		update_post_meta( $id, self::MARKUP, wp_slash( $new ) );
		// Each page keeps a copy of what all entries give it.
		delete_post_meta_by_key( self::CACHE );
		return null;
	}

	/** An entry of Schema Pro is a setting that shows on many pages, not a page. */
	public function guards_published() {
		return false;
	}
}
