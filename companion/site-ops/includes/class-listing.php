<?php
/**
 * What lists of posts have beside WordPress's own fields, and by whose change they can be narrowed.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Query;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Fields site_ops_changed and site_ops_seo, only where they are asked for by name; parameters site_ops_changed_by and …_not_by. */
final class Listing {

	/** Parameters of lists, each the number of an account; 0 is the caller's own. */
	const BY     = 'site_ops_changed_by';
	const NOT_BY = 'site_ops_changed_not_by';

	/** Has lists take the parameters and tell the fields; named as other subjects are, for it is no route. */
	public static function register_routes() {
		$types = get_post_types( array( 'show_in_rest' => true ) );
		foreach ( $types as $type ) {
			add_filter( "rest_{$type}_collection_params", array( __CLASS__, 'add_params' ) );
			add_filter( "rest_{$type}_query", array( __CLASS__, 'take' ), 10, 2 );
		}
		add_filter( 'posts_where', array( __CLASS__, 'narrow' ), 10, 2 );
		$fields = array(
			'site_ops_changed' => array( array( Post_Parts::class, 'changed' ), __( 'Who changed it last, and when', 'site-ops' ) ),
			'site_ops_seo'     => array( array( __CLASS__, 'seo' ), __( 'SEO values in effect', 'site-ops' ) ),
		);
		foreach ( $fields as $name => list( $get, $description ) ) {
			$callback = static function ( $record, $field, $request ) use ( $get ) {
				$post = self::is_asked( $request, $field ) ? get_post( $record['id'] ) : null;
				return $post && current_user_can( 'edit_post', $post->ID ) ? call_user_func( $get, $post ) : null;
			};
			register_rest_field(
				$types,
				$name,
				array(
					'get_callback' => $callback,
					'schema'       => array(
						'description' => $description,
						'type'        => array( 'object', 'null' ),
						'context'     => array( 'edit' ),
						'readonly'    => true,
					),
				)
			);
		}
	}

	/**
	 * Whether a request names the field: it costs too much to be told unasked.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string          $field   The field.
	 * @return bool
	 */
	private static function is_asked( $request, $field ) {
		return in_array( $field, wp_parse_list( $request['_fields'] ), true );
	}

	/**
	 * What visitors get of the main SEO fields of a post, or would get once it is published; null where that is not known.
	 *
	 * @param \WP_Post $post The post.
	 * @return array|null
	 */
	public static function seo( $post ) {
		$provider = Seo_Provider::active();
		if ( 'other' === $provider->id() ) {
			return null;
		}
		$fields = $provider->read( $post );
		$stored = array();
		foreach ( Seo_Effect::SHOWN as $name ) {
			$path            = explode( '.', $name );
			$stored[ $name ] = isset( $path[1] ) ? $fields[ $path[0] ][ $path[1] ] : $fields[ $name ];
		}
		$shown = $provider->shown( $post, $stored );
		$told  = array( 'noindex' => $fields['robots']['noindex'] );
		foreach ( array( 'title', 'description', 'canonical' ) as $name ) {
			$value         = isset( $shown[ $name ] ) ? $shown[ $name ]['value'] : $stored[ $name ];
			$told[ $name ] = '' === $value ? null : $value;
		}
		return $told;
	}

	/**
	 * Adds the parameters to those of a list.
	 *
	 * @param array $params Schemas by name.
	 * @return array
	 */
	public static function add_params( $params ) {
		$id = array(
			'type'    => 'integer',
			'minimum' => 0,
		);
		return $params + array(
			self::BY     => $id,
			self::NOT_BY => $id,
		);
	}

	/**
	 * Hands the parameters to the query.
	 *
	 * @param array           $query   Arguments of the query.
	 * @param WP_REST_Request $request The request.
	 * @return array
	 */
	public static function take( $query, $request ) {
		foreach ( array( self::BY, self::NOT_BY ) as $name ) {
			if ( null !== $request[ $name ] && Access::has( 'edit_posts' ) ) {
				$query[ $name ] = (int) $request[ $name ] > 0 ? (int) $request[ $name ] : get_current_user_id();
			}
		}
		return $query;
	}

	/**
	 * Narrows a query to what that account changed last, or not: the author of the newest version that is no autosave, else
	 * whom the editor noted. Where nobody is known, it may have been somebody else.
	 *
	 * @param string   $where The conditions so far.
	 * @param WP_Query $query The query.
	 * @return string
	 */
	public static function narrow( $where, $query ) {
		global $wpdb;
		$posts  = $wpdb->posts;
		$person = "COALESCE((SELECT r.post_author FROM $posts r WHERE r.post_parent = $posts.ID AND r.post_type = 'revision'"
			. " AND r.post_name <> CONCAT($posts.ID, '-autosave-v1') ORDER BY r.post_date DESC, r.ID DESC LIMIT 1),"
			. " (SELECT m.meta_value + 0 FROM {$wpdb->postmeta} m WHERE m.post_id = $posts.ID AND m.meta_key = '_edit_last' LIMIT 1), 0)";
		$by     = (int) $query->get( self::BY );
		$not_by = (int) $query->get( self::NOT_BY );
		return $where . ( $by ? " AND $person = $by" : '' ) . ( $not_by ? " AND $person <> $not_by" : '' );
	}
}
