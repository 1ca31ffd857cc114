<?php
/**
 * Custom schema kept by Rank Math.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * Post meta rank_math_schema_<Type>. A post is one entry; its value is an array of all its schemas by type, always of
 * value_type array. What Rank Math notes about a schema (metadata: title, where it shows) is neither told nor written.
 */
final class Schema_Rank_Math extends Schema_Store {

	/** {@inheritDoc} */
	public function id() {
		return 'rankmath';
	}

	/** {@inheritDoc} */
	public function ids() {
		global $wpdb;
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- no function of WordPress finds meta by the start of its key.
		$ids = $wpdb->get_col( "SELECT DISTINCT p.ID FROM {$wpdb->posts} p INNER JOIN {$wpdb->postmeta} m ON m.post_id = p.ID WHERE m.meta_key LIKE 'rank_math_schema_%' AND p.post_status NOT IN ( 'trash', 'auto-draft', 'inherit' ) ORDER BY p.ID" );
		return array_map( 'intval', $ids );
	}

	/** {@inheritDoc} */
	public function entry( $id ) {
		$post  = Access::post( $id );
		$value = array();
		foreach ( $post ? Seo_Schema_Rank_Math::rows( $id ) : array() as $row ) {
			$value[ self::type( $row ) ] = array_diff_key( $row['value'], array( 'metadata' => true ) );
		}
		if ( ! $value ) {
			return null;
		}
		return array(
			'post_id'    => $post->ID,
			'type'       => implode( ', ', array_keys( $value ) ),
			'status'     => $post->post_status,
			'title'      => $post->post_title,
			'value_type' => 'array',
			'value'      => $value,
			'targets'    => null,
		);
	}

	/** {@inheritDoc} */
	public function save( $id, $value ) {
		$large = Json::too_large( Json::text( $value ) );
		if ( $large ) {
			return $large;
		}
		$rows  = Seo_Schema_Rank_Math::rows( $id );
		$types = array_map( array( __CLASS__, 'type' ), $rows );
		$value = Json::arrays( $value );
		foreach ( $value as $type => $schema ) {
			if ( ! in_array( $type, $types, true ) || ! is_array( $schema ) ) {
				/* translators: 1: a name, 2: the names there are */
				$said = sprintf( __( 'The value must hold an object for some of the types of this entry: "%1$s" is none of %2$s', 'site-ops' ), $type, implode( ', ', $types ) );
				return Errors::make( 'value_type', $said );
			}
		}
		foreach ( $rows as $row ) {
			$new = isset( $value[ self::type( $row ) ] ) ? $value[ self::type( $row ) ] : null;
			if ( null !== $new ) {
				unset( $new['metadata'] );
				$new += array_intersect_key( $row['value'], array( 'metadata' => true ) );
				update_metadata_by_mid( 'post', $row['meta_id'], $new );
			}
		}
		return null;
	}

	/** A schema of Rank Math belongs to one page, and shows there. */
	public function guards_published() {
		return true;
	}

	/**
	 * The type a row is for.
	 *
	 * @param array $row A row of Seo_Schema_Rank_Math.
	 * @return string
	 */
	private static function type( array $row ) {
		return substr( $row['meta_key'], strlen( Seo_Schema_Rank_Math::PREFIX ) );
	}
}
