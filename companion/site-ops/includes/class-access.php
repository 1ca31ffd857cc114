<?php
/**
 * Who may do what, and what is live.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Rights per object, and the guard of what visitors see. */
final class Access {

	/**
	 * Whether the caller holds every one of these rights.
	 *
	 * @param string ...$capabilities Names of rights.
	 * @return bool
	 */
	public static function has( ...$capabilities ) {
		foreach ( $capabilities as $capability ) {
			if ( ! current_user_can( $capability ) ) {
				return false;
			}
		}
		return is_user_logged_in();
	}

	/**
	 * Which of these rights the caller holds.
	 *
	 * @param string[] $capabilities Names of rights.
	 * @return bool[] By name.
	 */
	public static function rights( array $capabilities ) {
		return array_combine( $capabilities, array_map( 'current_user_can', $capabilities ) );
	}

	/**
	 * Whether the caller may edit that post and holds the further rights. A missing post is told only to those who
	 * write on this site; to all others it looks like a forbidden one.
	 *
	 * @param int         $id           Number of the post.
	 * @param string|null $type         The post type it must be of; null takes every type that has pages of its own.
	 * @param string      ...$more      Further rights.
	 * @return bool|WP_Error
	 */
	public static function edit( $id, $type, ...$more ) {
		if ( ! self::has( 'edit_posts', ...$more ) ) {
			return false;
		}
		return self::post( $id, $type ) ? current_user_can( 'edit_post', $id ) : self::not_found( $id, $type );
	}

	/**
	 * A post as it is now in the database; null for none, one in the trash, or one of another kind.
	 *
	 * @param int         $id   Number of the post.
	 * @param string|null $type As in edit().
	 * @return WP_Post|null
	 */
	public static function post( $id, $type = null ) {
		clean_post_cache( $id );
		$post = get_post( $id );
		if ( ! $post instanceof WP_Post || in_array( $post->post_status, array( 'trash', 'inherit' ), true ) ) {
			return null;
		}
		$fits = null === $type ? is_post_type_viewable( $post->post_type ) : $post->post_type === $type;
		return $fits ? $post : null;
	}

	/**
	 * The error of a missing post.
	 *
	 * @param int         $id   Number asked for.
	 * @param string|null $type As in edit().
	 * @return WP_Error
	 */
	public static function not_found( $id, $type = null ) {
		$text = 'page' === $type
			/* translators: %d: number of a page */
			? __( 'There is no page %d, or it is in the trash', 'site-ops' )
			/* translators: %d: number of a post */
			: __( 'There is no post %d, or it is in the trash', 'site-ops' );
		return Errors::make( 'post_not_found', sprintf( $text, $id ) );
	}

	/**
	 * When a post goes live by itself, in UTC; null for one that does not.
	 *
	 * @param WP_Post $post The post.
	 * @return string|null
	 */
	public static function goes_live( WP_Post $post ) {
		return 'future' === $post->post_status ? mysql_to_rfc3339( $post->post_date_gmt ) : null;
	}

	/**
	 * Whether visitors see a post, or those who sign in: published, private, or in a state of a plugin's that is one or the
	 * other (register_post_status). A state that nobody registers counts as seen unless it is one of drafts.
	 *
	 * @param WP_Post $post The post.
	 * @return bool
	 */
	public static function is_live( WP_Post $post ) {
		$known = get_post_status_object( $post->post_status );
		if ( null === $known ) {
			return ! in_array( $post->post_status, array( 'draft', 'pending', 'auto-draft', 'future', 'trash', 'inherit' ), true );
		}
		return $known->public || $known->private || $known->publicly_queryable;
	}

	/**
	 * Refuses what visitors see already, and what is due to go live at any moment: saving an overdue scheduled page
	 * would make WordPress publish it.
	 *
	 * @param WP_Post $post    The post as it is now.
	 * @param bool    $allowed Whether the caller was allowed to change it all the same.
	 * @return WP_Error|null
	 */
	public static function refuse_live( WP_Post $post, $allowed = false ) {
		$at   = self::goes_live( $post );
		$due  = null !== $at && strtotime( $at . ' UTC' ) <= time() + 60;
		$live = self::is_live( $post );
		if ( $allowed || ( ! $live && ! $due ) ) {
			return null;
		}
		/* translators: %d: number of a post */
		$text = __( 'Post %d is about to be published', 'site-ops' );
		if ( 'private' === $post->post_status ) {
			/* translators: %d: number of a post */
			$text = __( 'Post %d is private: whoever may read it would see the change at once', 'site-ops' );
		} elseif ( $live ) {
			/* translators: %d: number of a post */
			$text = __( 'Post %d is published: visitors would see the change at once', 'site-ops' );
		}
		return Errors::make( 'published', sprintf( $text, $post->ID ), array( 'post_status' => $post->post_status ) );
	}
}
