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
 * value_type array; several of one type are told apart as <Type>#<meta id>. What Rank Math notes about a schema (metadata: title, where it shows) is neither told nor written.
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
		foreach ( $post ? self::rows( $id ) : array() as $name => $row ) {
			$value[ $name ] = array_diff_key( $row['value'], array( 'metadata' => true ) );
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
		$loose = Seo_Schema_Rank_Math::loose( $value );
		if ( $large || $loose ) {
			return $large ? $large : $loose;
		}
		$rows = self::rows( $id );
		foreach ( (array) $value as $name => $schema ) {
			if ( isset( $rows[ $name ] ) && is_object( $schema ) && '' === Seo_Schema::type( $schema ) ) {
				/* translators: %s: a name */
				return Errors::make( 'value_type', sprintf( __( 'The value holds an object without @type: "%s"', 'site-ops' ), $name ) );
			}
		}
		$value = Json::arrays( $value );
		foreach ( $value as $name => $schema ) {
			if ( ! isset( $rows[ $name ] ) || ! is_array( $schema ) ) {
				/* translators: 1: a name, 2: the names there are */
				$said = sprintf( __( 'The value must hold an object for some of the types of this entry: "%1$s" is none of %2$s', 'site-ops' ), $name, implode( ', ', array_keys( $rows ) ) );
				return Errors::make( 'value_type', $said );
			}
		}
		foreach ( $rows as $name => $row ) {
			$new = isset( $value[ $name ] ) ? $value[ $name ] : null;
			if ( null !== $new ) {
				unset( $new['metadata'] );
				$new += array_intersect_key( $row['value'], array( 'metadata' => true ) );
				update_metadata_by_mid( 'post', $row['meta_id'], $new );
			}
		}
		return null;
	}

	/** {@inheritDoc} */
	public function plugin() {
		return 'rankmath ' . RANK_MATH_VERSION;
	}

	/** {@inheritDoc} */
	public function rows_of( $id ) {
		return Stored_Schema::of_rank_math( $id );
	}

	/** {@inheritDoc} */
	public function put( \WP_Post $post, array $rows ) {
		foreach ( $rows as $values ) {
			$fault = Stored_Schema::fault( $values );
			if ( $fault ) {
				return $fault;
			}
		}
		foreach ( $rows as $entry => $values ) {
			Stored_Rows::replace( (int) substr( $entry, strlen( 'schema-' ) ), $post->ID, $values[0], $values[1] );
		}
		return null;
	}

	/** A schema of Rank Math belongs to one page, and shows there. */
	public function guards_published() {
		return true;
	}

	/**
	 * The rows of a post by the names they have in the value: their types, with the number behind it where there are
	 * several of one type.
	 *
	 * @param int $id Number of the post.
	 * @return array[] Rows of Seo_Schema_Rank_Math.
	 */
	private static function rows( $id ) {
		$rows  = Seo_Schema_Rank_Math::rows( $id );
		$names = array();
		foreach ( $rows as $row ) {
			$names[] = substr( $row['meta_key'], strlen( Seo_Schema_Rank_Math::PREFIX ) );
		}
		$times = array_count_values( $names );
		foreach ( $names as $at => $name ) {
			$names[ $at ] = $times[ $name ] > 1 ? $name . '#' . $rows[ $at ]['meta_id'] : $name;
		}
		return $rows ? array_combine( $names, $rows ) : array();
	}
}
