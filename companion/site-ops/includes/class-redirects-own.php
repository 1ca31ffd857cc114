<?php
/**
 * Redirects kept by this plugin.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_Query;

defined( 'ABSPATH' ) || exit;

/** Posts of a private type without REST; found by their slug, which is made of the source. */
final class Redirects_Own extends Redirect_Store {

	const TYPE        = 'site_ops_redirect';
	const SOURCE      = '_site_ops_source';
	const DESTINATION = '_site_ops_destination';
	const STATUS      = '_site_ops_status';
	const ROWS        = array( self::SOURCE, self::DESTINATION, self::STATUS );

	/** Registers the post type; administrators find the redirects under Tools and may remove them there. */
	public static function register_type() {
		$caps = array( 'edit_post', 'read_post', 'delete_post', 'edit_posts', 'edit_others_posts', 'delete_posts', 'publish_posts', 'read_private_posts' );
		register_post_type(
			self::TYPE,
			array(
				'labels'       => array(
					'name'          => __( 'Gateway redirects', 'site-ops' ),
					'singular_name' => __( 'Gateway redirect', 'site-ops' ),
				),
				'public'       => false,
				'show_ui'      => true,
				'show_in_menu' => 'tools.php',
				'show_in_rest' => false,
				'rewrite'      => false,
				'query_var'    => false,
				'map_meta_cap' => false,
				'capabilities' => array_fill_keys( $caps, 'manage_options' ) + array( 'create_posts' => 'do_not_allow' ),
				'supports'     => array( 'title' ),
			)
		);
		add_filter( 'pre_wp_unique_post_slug', array( __CLASS__, 'same_slug' ), 10, 5 );
	}

	/**
	 * Keeps WordPress from putting a number behind the slug of a record where another that rests has it: the record would
	 * not be found.
	 *
	 * @param string|null $other  The slug to have instead.
	 * @param string      $slug   The slug.
	 * @param int         $id     Number of the post.
	 * @param string      $status Its status.
	 * @param string      $type   Its type.
	 * @return string|null
	 */
	public static function same_slug( $other, $slug, $id, $status, $type ) {
		return self::TYPE === $type ? $slug : $other;
	}

	/** Every version of this plugin keeps them alike. */
	public function plugin() {
		return 'none';
	}

	/** {@inheritDoc} */
	public function find( $source ) {
		$query = $this->query( array( 'post_name__in' => array( self::slug( $source ) ) ) );
		return $query->posts ? self::read( $query->posts[0] ) : null;
	}

	/** {@inheritDoc} */
	public function page( $page, $per_page ) {
		$query = $this->query(
			array(
				'paged'          => $page,
				'posts_per_page' => $per_page,
				'no_found_rows'  => false,
			)
		);
		return array(
			'rows'  => array_map( array( __CLASS__, 'read' ), $query->posts ),
			'total' => Routes::total( $query ),
		);
	}

	/** {@inheritDoc} */
	public function save( $found, $source, $destination, $status ) {
		$meta = array(
			self::SOURCE      => $source,
			self::DESTINATION => $destination,
			self::STATUS      => (string) $status,
		);
		if ( $found ) {
			foreach ( $meta as $key => $value ) {
				update_post_meta( $found['id'], $key, wp_slash( $value ) );
			}
			return $found['id'];
		}
		$columns = array(
			'post_type'   => self::TYPE,
			// Private is how a record of this type is in force; it is no page and has no address.
			'post_status' => 'private',
			'post_title'  => $source,
			'post_name'   => self::slug( $source ),
			'meta_input'  => $meta,
		);
		$id      = wp_insert_post( wp_slash( $columns ), true );
		$first   = is_wp_error( $id ) ? null : $this->find( $source );
		if ( ! $first || $first['id'] === $id ) {
			return $id;
		}
		// Somebody set it in the same moment: one record is in force, the other rests.
		wp_update_post(
			array(
				'ID'          => $id,
				'post_status' => 'draft',
			)
		);
		return $this->save( $first, $source, $destination, $status );
	}

	/**
	 * The slug of a source.
	 *
	 * @param string $source The source.
	 * @return string
	 */
	private static function slug( $source ) {
		return 'r-' . md5( Redirect_Rules::key( $source ) );
	}

	/**
	 * A post as a redirect.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function read( WP_Post $post ) {
		return self::row(
			$post->ID,
			get_post_meta( $post->ID, self::SOURCE, true ),
			get_post_meta( $post->ID, self::DESTINATION, true ),
			get_post_meta( $post->ID, self::STATUS, true )
		);
	}

	/**
	 * Asks for redirects.
	 *
	 * @param array $args What to ask for.
	 * @return WP_Query
	 */
	private function query( array $args ) {
		$args += array(
			'post_type'              => self::TYPE,
			'post_status'            => 'private',
			'posts_per_page'         => 1,
			'orderby'                => 'ID',
			'order'                  => 'ASC',
			'no_found_rows'          => true,
			'update_post_term_cache' => false,
		);
		return new WP_Query( $args );
	}
}
