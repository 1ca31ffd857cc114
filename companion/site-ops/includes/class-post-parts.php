<?php
/**
 * A post in parts that can be compared.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** What visitors get of a post and what a write replaces, part by part; who touched it last, and who has it open. */
final class Post_Parts {

	/** After so many seconds without a sign of life the editor counts as closed, as WordPress itself has it. */
	const EDITING_SECONDS = 150;

	/** Meta that a page shows beside its content: of the visual builder, and of pages made from code. */
	const SHOWN = array(
		'builder' => array( '_elementor_edit_mode', '_elementor_data', '_elementor_page_settings' ),
		'code'    => array( '_site_ops_scope', '_site_ops_css', '_site_ops_js' ),
	);

	/** Meta that visitors change by looking, what other parts hold, and the editor's own. */
	const COUNTER   = '/(^|[_-])(views?|hits?|counts?|counter|likes?)([_-]|$)/i';
	const ELSEWHERE = '/^_?(rank_math|yoast_wpseo|seopress|site_ops|elementor|thumbnail_id|wp_page_template|edit_lock|edit_last)/';

	/**
	 * The SHA-256 of each part. Autosaves, locks, comments, counters and the time of the last change are in none.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	public static function hashes( WP_Post $post ) {
		return Guarded_Rules::hashes( self::values( $post ) );
	}

	/**
	 * What a change beside its content relies on: who sees the post, and from when on.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	public static function state( WP_Post $post ) {
		$is_live = Access::is_live( $post );
		return array(
			'status'   => $post->post_status,
			'date_gmt' => $post->post_date_gmt,
			// It decides who sees a change of what is live.
			'password' => $is_live ? $post->post_password : '',
		);
	}

	/**
	 * Each part as a text.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	public static function values( WP_Post $post ) {
		$values = array(
			'status'         => $post->post_status,
			'title'          => $post->post_title,
			'content'        => $post->post_content,
			'excerpt'        => $post->post_excerpt,
			'slug'           => $post->post_name,
			'author'         => (int) $post->post_author,
			'parent'         => (int) $post->post_parent,
			'password'       => $post->post_password,
			'date_gmt'       => $post->post_date_gmt,
			'template'       => self::meta( $post->ID, '_wp_page_template' ),
			'featured_media' => (int) get_post_meta( $post->ID, '_thumbnail_id', true ),
			'sticky'         => (int) is_sticky( $post->ID ),
			'comments'       => $post->comment_status . ' ' . $post->ping_status,
			'menu_order'     => (int) $post->menu_order,
			'meta'           => Json::text( self::fields( $post ) ),
		) + self::terms( $post );
		if ( 'default' === $values['template'] ) {
			$values['template'] = '';
		}
		$seo              = Seo_Provider::active();
		$values['seo']    = $seo->id() . Json::text( $seo->read( $post ) );
		$values['schema'] = Json::text( Seo_Schema::live( $post->ID ) );
		foreach ( self::SHOWN as $name => $keys ) {
			$texts = array();
			foreach ( $keys as $key ) {
				$texts[] = self::meta( $post->ID, $key );
			}
			$values[ $name ] = implode( "\0", $texts );
		}
		return $values;
	}

	/**
	 * The numbers of a post's terms: tags, categories, and those of every other kind in one part.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	private static function terms( WP_Post $post ) {
		$kinds = array(
			'post_tag' => array(),
			'category' => array(),
		);
		$names = get_object_taxonomies( $post );
		$found = $names ? wp_get_object_terms( $post->ID, $names ) : array();
		foreach ( is_wp_error( $found ) ? array() : $found as $term ) {
			$kinds[ $term->taxonomy ][] = $term->term_id;
		}
		$others = array();
		foreach ( $kinds as $name => $ids ) {
			sort( $ids );
			$kinds[ $name ] = implode( ',', $ids );
			if ( 'post_tag' !== $name && 'category' !== $name ) {
				$others[] = $name . ':' . $kinds[ $name ];
			}
		}
		sort( $others );
		return array(
			'tags'       => $kinds['post_tag'],
			'categories' => $kinds['category'],
			'terms'      => implode( ' ', $others ),
		);
	}

	/**
	 * The meta that themes and editors show: without a leading underscore, or open to REST; counters are left out.
	 *
	 * @param WP_Post $post The post.
	 * @return array By key.
	 */
	private static function fields( WP_Post $post ) {
		$open = get_registered_meta_keys( 'post', $post->post_type ) + get_registered_meta_keys( 'post' );
		$all  = array();
		foreach ( get_post_meta( $post->ID ) as $key => $values ) {
			$key     = (string) $key;
			$is_open = ! empty( $open[ $key ]['show_in_rest'] );
			$is_own  = $is_open || '_' !== substr( $key, 0, 1 );
			if ( $is_own && ! preg_match( self::COUNTER, $key ) && ! preg_match( self::ELSEWHERE, $key ) ) {
				$all[ $key ] = $values;
			}
		}
		ksort( $all );
		return $all;
	}

	/**
	 * A meta as a text, whatever it holds.
	 *
	 * @param int    $id  Number of the post.
	 * @param string $key Its name.
	 * @return string
	 */
	private static function meta( $id, $key ) {
		$value = get_post_meta( $id, $key, true );
		return is_string( $value ) ? $value : Json::text( $value );
	}

	/**
	 * The post of which a plugin keeps this one as a revision, as PublishPress Revisions does: a post of its own, whose
	 * kind of file says so, and whose count of comments is the other's number.
	 *
	 * @param WP_Post $post The post.
	 * @return int|null Null for none.
	 */
	public static function revision_of( WP_Post $post ) {
		$is_one = preg_match( '/^(draft|pending|future)-revision$/D', $post->post_mime_type );
		return $is_one && $post->comment_count > 0 ? (int) $post->comment_count : null;
	}

	/**
	 * Who changed a post last, as far as WordPress keeps it, and when.
	 *
	 * @param WP_Post $post The post.
	 * @return array `by` (id and name, or null) and `at` (UTC).
	 */
	public static function changed( WP_Post $post ) {
		$user      = (int) get_post_meta( $post->ID, '_edit_last', true );
		$revisions = wp_get_post_revisions( $post->ID, array( 'posts_per_page' => 5 ) );
		foreach ( $revisions as $revision ) {
			if ( ! wp_is_post_autosave( $revision ) ) {
				$user = (int) $revision->post_author;
				break;
			}
		}
		return array(
			'by' => self::person( $user ),
			'at' => Drafts::modified_gmt( $post ),
		);
	}

	/**
	 * Who has a post open in the editor; null for nobody.
	 *
	 * @param WP_Post $post The post.
	 * @return array|null `by` as in changed(), and `at`: the last sign of life (UTC).
	 */
	public static function editing( WP_Post $post ) {
		$lock = explode( ':', self::meta( $post->ID, '_edit_lock' ) );
		$time = (int) $lock[0];
		/** This filter is documented in wp-admin/includes/post.php */
		$window = (int) apply_filters( 'wp_check_post_lock_window', self::EDITING_SECONDS );
		if ( $time <= time() - $window ) {
			return null;
		}
		return array(
			'by' => self::person( isset( $lock[1] ) ? (int) $lock[1] : 0 ),
			'at' => gmdate( 'Y-m-d\TH:i:s', $time ),
		);
	}

	/** Tells of each post and page, where it is edited, who has it open in the editor. */
	public static function register_field() {
		register_rest_field(
			array( 'post', 'page' ),
			'site_ops_editing',
			array(
				'get_callback' => function ( $post ) {
					$found = get_post( $post['id'] );
					return $found ? self::editing( $found ) : null;
				},
				'schema'       => array(
					'description' => __( 'Who has it open in the editor', 'site-ops' ),
					'type'        => array( 'object', 'null' ),
					'context'     => array( 'edit' ),
					'readonly'    => true,
				),
			)
		);
	}

	/**
	 * A person's number and name; null for nobody known.
	 *
	 * @param int $id Number of the person.
	 * @return array|null
	 */
	public static function person( $id ) {
		$user = $id > 0 ? get_userdata( $id ) : false;
		return $user ? array(
			'id'   => $user->ID,
			'name' => $user->display_name,
		) : null;
	}
}
