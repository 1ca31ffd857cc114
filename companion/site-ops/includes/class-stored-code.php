<?php
/**
 * The rows of a page made from code.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Title and content of the page, its CSS and JavaScript, and its template; of what visitors see nothing is set back. */
final class Stored_Code {

	const COLUMNS = array(
		'title' => 'post_title',
		'html'  => 'post_content',
	);

	const META = array(
		'css'      => Code_Pages::CSS,
		'js'       => Code_Pages::JS,
		'template' => '_wp_page_template',
	);

	/**
	 * Whoever may edit that page and write unfiltered HTML.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		return Code_Pages::may_edit( $request );
	}

	/**
	 * A page made from code, with the rows it is stored in.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function page( $request ) {
		$page = Code_Pages::read( $request );
		return is_wp_error( $page ) ? $page : $page + array( 'stored' => Stored_Rows::told( __CLASS__, $request['id'] ) );
	}

	/**
	 * Refuses what visitors see, unless the gateway was allowed to change it.
	 *
	 * @param WP_Post $post    The post as it is now.
	 * @param bool    $allowed Whether it was.
	 * @return WP_Error|null
	 */
	public static function refused( WP_Post $post, $allowed ) {
		return Access::refuse_live( $post ); // Nothing of it is changed while visitors see it.
	}

	/**
	 * Who keeps the rows: this plugin, of which every version keeps them alike.
	 *
	 * @return string
	 */
	public static function plugin() {
		return 'none';
	}

	/**
	 * All of them by the names of arguments.
	 *
	 * @param int $id Number of the page.
	 * @return array[] As Stored_Seo::rows().
	 */
	public static function rows( $id ) {
		$rows = array();
		foreach ( self::COLUMNS as $name => $column ) {
			$rows[ $name ] = array(
				'of'     => $name,
				'values' => array( get_post( $id )->$column ),
			);
		}
		foreach ( self::META as $name => $key ) {
			$rows[ $name ] = array(
				'of'     => $name,
				'values' => Stored_Rows::values( $id, $key ),
			);
		}
		return $rows;
	}

	/**
	 * Has these rows stand there.
	 *
	 * @param WP_Post $post The page.
	 * @param array   $rows Values by name.
	 * @return WP_Error|null
	 */
	public static function put( WP_Post $post, array $rows ) {
		$columns = array();
		foreach ( array_intersect_key( $rows, self::COLUMNS ) as $name => $values ) {
			$columns[ self::COLUMNS[ $name ] ] = implode( '', $values );
		}
		$saved = $columns ? Drafts::update( $post, $columns ) : null;
		if ( is_wp_error( $saved ) ) {
			return $saved;
		}
		foreach ( array_intersect_key( $rows, self::META ) as $name => $values ) {
			Stored_Rows::store( $post->ID, self::META[ $name ], $values );
		}
		return null;
	}
}
