<?php
/**
 * Which types of content a guarded write takes.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post_Type;

defined( 'ABSPATH' ) || exit;

/** Posts, pages, and types of the site's own that it shows over REST beside them, with a page, a title and a text. */
final class Guarded_Types {

	/**
	 * The type whose content is at that place of wp/v2; null for none, and for what is a part of the site.
	 *
	 * @param mixed $base The last part of its address.
	 * @return WP_Post_Type|null
	 */
	public static function at( $base ) {
		foreach ( get_post_types( array( 'show_in_rest' => true ), 'objects' ) as $type ) {
			$place = $type->rest_base ? $type->rest_base : $type->name;
			if ( $place === $base ) {
				return self::is_content( $type ) ? $type : null;
			}
		}
		return null;
	}

	/**
	 * Whether its posts have a page, a title and a text that are written at wp/v2.
	 *
	 * @param WP_Post_Type $type The type.
	 * @return bool
	 */
	private static function is_content( WP_Post_Type $type ) {
		if ( in_array( $type->name, array( 'post', 'page' ), true ) ) {
			return true;
		}
		$namespace = $type->rest_namespace ? $type->rest_namespace : 'wp/v2';
		return ! $type->_builtin && 'wp/v2' === $namespace && is_post_type_viewable( $type )
			&& post_type_supports( $type->name, 'title' ) && post_type_supports( $type->name, 'editor' );
	}

	/**
	 * The rights told of the caller: those over posts and pages, and those that the type asks for.
	 *
	 * @param WP_Post_Type|null $type   The type.
	 * @param string[]          $common Names of rights.
	 * @return bool[] By name.
	 */
	public static function rights( $type, array $common ) {
		$own = $type ? array( $type->cap->edit_posts, $type->cap->edit_others_posts, $type->cap->publish_posts ) : array();
		return Access::rights( array_values( array_unique( array_merge( $common, $own ) ) ) );
	}
}
