<?php
/**
 * GET /find: where a text occurs.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * Finds texts of what visitors can get: public types of posts, with their SEO fields and what the visual builder keeps,
 * menus, widgets, reusable blocks and templates of the theme. Never what is private or has a password, nor comments,
 * nor meta beside a few keys. The database finds the rows, and PHP the places in them.
 */
final class Find {

	/** What is shown around posts, with what it is called. */
	const AROUND = array(
		'nav_menu_item'    => 'menu item',
		'wp_navigation'    => 'block menu',
		'wp_block'         => 'reusable block',
		'wp_template'      => 'template',
		'wp_template_part' => 'template',
	);

	const STATUSES = array( 'publish', 'future', 'draft', 'pending' );

	/** Rows of one look at the database, places of one answer, and seconds after which the rest is left to the next request. */
	const ROWS    = 200;
	const PLACES  = 1000;
	const SECONDS = 8;

	const PARTS = 100;

	/** Registers the route. */
	public static function register_routes() {
		Routes::read( '/find', array( __CLASS__, 'answer' ), array( __CLASS__, 'may' ), self::args() );
	}

	/**
	 * Whoever may write posts may ask; of what is found only what the caller may edit is told.
	 *
	 * @return bool
	 */
	public static function may() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Answers GET.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array places, more (places that are counted alone), next (what to send as `below` to go on, or null), left_out
	 *               (types the caller may not edit, and widgets), own_only (types of which only the caller's own are told).
	 */
	public static function answer( $request ) {
		$began   = microtime( true );
		$texts   = new Find_Texts( $request['parts'], $request['between'] );
		$access  = self::access();
		$found   = array();
		$more    = 0;
		$below   = $request['below'];
		$is_over = true;
		if ( null === $below && current_user_can( 'edit_theme_options' ) ) {
			$found = array_slice( $texts->in_widgets(), 0, self::PLACES );
		}
		if ( null === $below && ! current_user_can( 'edit_theme_options' ) ) {
			$access['left_out'][] = 'widget';
		}
		$ids = array() === $access['where'] ? array() : self::ids( $texts, $access['where'], $below );
		foreach ( array_chunk( $ids, self::ROWS ) as $some ) {
			if ( microtime( true ) - $began > self::SECONDS ) {
				$is_over = false;
				break;
			}
			foreach ( self::rows( $some ) as $row ) {
				$places = $texts->in_post( $row );
				if ( array() === $places || ! self::may_edit( $row ) ) {
					continue;
				}
				$room  = max( 0, self::PLACES - count( $found ) );
				$found = array_merge( $found, array_slice( $places, 0, $room ) );
				$more += max( 0, count( $places ) - $room );
			}
			$below = min( $some );
		}
		return array(
			'places'   => $found,
			'more'     => $more,
			'next'     => $is_over ? null : $below,
			'left_out' => $access['left_out'],
			'own_only' => $access['own_only'],
		);
	}

	/**
	 * Which rows the caller may edit, by WordPress's own rules for types, as conditions of SQL.
	 *
	 * @return array where (conditions), left_out and own_only (names of types).
	 */
	private static function access() {
		$where    = array();
		$left_out = array();
		$own_only = array();
		$types    = array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) );
		foreach ( array_unique( array_merge( array_values( $types ), array_keys( self::AROUND ) ) ) as $type ) {
			$object = get_post_type_object( $type );
			if ( ! $object ) {
				continue;
			}
			// WordPress shows menus to whoever may write posts.
			$is_menu = 'nav_menu_item' === $type;
			if ( ! $is_menu && ! current_user_can( $object->cap->edit_posts ) ) {
				$left_out[] = $type;
				continue;
			}
			$is_live  = $is_menu || current_user_can( $object->cap->edit_published_posts );
			$statuses = self::statuses( $is_live );
			$one      = 'p.post_type = ' . self::quoted( array( $type ) ) . ' AND p.post_status IN (' . self::quoted( $statuses ) . ')';
			if ( ! $is_menu && ! current_user_can( $object->cap->edit_others_posts ) ) {
				$one       .= ' AND p.post_author = ' . get_current_user_id();
				$own_only[] = $type;
			}
			$where[] = "($one)";
		}
		return compact( 'where', 'left_out', 'own_only' );
	}

	/**
	 * States that are looked into: WordPress's own but for private, and those of plugins.
	 *
	 * @param bool $is_live Whether the caller may edit what visitors see.
	 * @return string[]
	 */
	private static function statuses( $is_live ) {
		$own    = get_post_stati(
			array(
				'_builtin' => false,
				'internal' => false,
			),
			'objects'
		);
		$hidden = wp_list_filter(
			$own,
			array(
				'public'  => false,
				'private' => false,
			)
		);
		return $is_live
			? array_merge( self::STATUSES, array_keys( $own ) )
			: array_merge( array( 'draft', 'pending' ), array_keys( $hidden ) );
	}

	/**
	 * Numbers of all posts that may hold the text, the newest first: asked for in one look at posts and one at their meta, for
	 * with a limit the database would read all texts again for each part of them.
	 *
	 * @param Find_Texts $texts What is looked for.
	 * @param string[]   $where Conditions, one of which has to hold.
	 * @param int|null   $below Only numbers below that.
	 * @return int[]
	 */
	private static function ids( Find_Texts $texts, array $where, $below ) {
		global $wpdb;
		$like  = self::quoted( array( $texts->like() ) );
		$keys  = self::quoted( array_keys( Find_Texts::keys() ) );
		$holds = array();
		foreach ( array( 'post_title', 'post_content', 'post_excerpt' ) as $column ) {
			$holds[] = "p.$column LIKE $like";
		}
		$may = "p.post_password = '' AND (" . implode( ' OR ', $where ) . ')' . ( null === $below ? '' : ' AND p.ID < ' . (int) $below );
		// phpcs:disable WordPress.DB -- every value was quoted or is a number.
		$in_posts = $wpdb->get_col( "SELECT p.ID FROM {$wpdb->posts} p WHERE $may AND (" . implode( ' OR ', $holds ) . ')' );
		$in_meta  = $wpdb->get_col(
			"SELECT p.ID FROM {$wpdb->postmeta} m INNER JOIN {$wpdb->posts} p ON p.ID = m.post_id"
			. " WHERE m.meta_key IN ($keys) AND m.meta_value LIKE $like AND $may"
		);
		// phpcs:enable WordPress.DB
		$ids = array_unique( array_map( 'intval', array_merge( $in_posts, $in_meta ) ) );
		rsort( $ids );
		return $ids;
	}

	/**
	 * Posts with those of their meta that are looked into.
	 *
	 * @param int[] $ids Numbers of posts.
	 * @return object[] The newest first.
	 */
	private static function rows( array $ids ) {
		global $wpdb;
		$list  = implode( ',', $ids );
		$keys  = self::quoted( array_merge( array_keys( Find_Texts::keys() ), Find_Texts::MADE_WITH ) );
		$by_id = array();
		// phpcs:disable WordPress.DB -- numbers, and values that were quoted.
		$rows = $wpdb->get_results( "SELECT * FROM {$wpdb->posts} WHERE ID IN ($list) ORDER BY ID DESC" );
		$meta = $wpdb->get_results( "SELECT post_id, meta_key, meta_value FROM {$wpdb->postmeta} WHERE post_id IN ($list) AND meta_key IN ($keys)" );
		// phpcs:enable WordPress.DB
		foreach ( $meta as $one ) {
			$by_id[ (int) $one->post_id ][ $one->meta_key ] = (string) $one->meta_value;
		}
		foreach ( $rows as $row ) {
			$row->site_ops_meta = isset( $by_id[ (int) $row->ID ] ) ? $by_id[ (int) $row->ID ] : array();
		}
		return $rows;
	}

	/**
	 * Whether the caller may edit that post; other plugins have their say.
	 *
	 * @param object $row A row.
	 * @return bool
	 */
	private static function may_edit( $row ) {
		if ( 'nav_menu_item' === $row->post_type ) {
			return true;
		}
		$id       = (int) $row->ID;
		$is_known = false !== wp_cache_get( $id, 'posts' );
		if ( ! $is_known ) {
			$copy = clone $row;
			unset( $copy->site_ops_meta );
			wp_cache_add( $id, sanitize_post( $copy, 'raw' ), 'posts' );
		}
		$may = current_user_can( 'edit_post', $id );
		if ( ! $is_known ) {
			wp_cache_delete( $id, 'posts' );
		}
		return $may;
	}

	/**
	 * Texts as SQL has them, with commas between.
	 *
	 * @param string[] $texts Texts.
	 * @return string
	 */
	private static function quoted( array $texts ) {
		global $wpdb;
		$quoted = array();
		foreach ( $texts as $text ) {
			$quoted[] = $wpdb->remove_placeholder_escape( $wpdb->prepare( '%s', $text ) );
		}
		return implode( ', ', $quoted );
	}

	/**
	 * The schemas of the arguments.
	 *
	 * @return array
	 */
	private static function args() {
		return array(
			'parts'   => array(
				'type'     => 'array',
				'required' => true,
				'minItems' => 1,
				'maxItems' => self::PARTS,
				'items'    => array(
					'type'      => 'string',
					'minLength' => 1,
					'maxLength' => 200,
				),
			),
			'between' => array(
				'type'    => 'string',
				'enum'    => array( 'few', 'separators' ),
				'default' => 'few',
			),
			'below'   => array(
				'type'    => 'integer',
				'minimum' => 1,
			),
		);
	}
}
