<?php
/**
 * What a write of one post changes of others.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/**
 * Watches the write of a post for what other plugins change along with it of posts that visitors see, as those do that
 * keep the translations of a post in step. A write that nobody was to see is taken back then; one that was allowed to
 * change what is live stays, and the answer names the others in a header.
 */
final class Elsewhere {

	/** The header of an answer that names the other posts and what of them was changed. */
	const HEADER = 'X-Site-Ops-Elsewhere';

	/** How many of them are named. */
	const NAMED = 5;

	/** Types without a page of their own that visitors see all the same. */
	const PARTS = array( 'nav_menu_item', 'wp_navigation', 'wp_block', 'wp_template', 'wp_template_part' );

	/**
	 * What was changed elsewhere while this request ran, as changed() tells it.
	 *
	 * @var array[]
	 */
	private static $told = array();

	/**
	 * The post that is written.
	 *
	 * @var int
	 */
	private $own;

	/**
	 * The others as they were, by number: the hashes of their parts, null where visitors did not see it.
	 *
	 * @var array
	 */
	private $before = array();

	/**
	 * Whether what is sent to the database is our own.
	 *
	 * @var bool
	 */
	private $busy = false;

	/**
	 * Watches for one write.
	 *
	 * @param int $own Number of the post that is written.
	 */
	private function __construct( $own ) {
		$this->own = (int) $own;
	}

	/** Hooks the header up. */
	public static function start() {
		add_filter( 'rest_post_dispatch', array( self::class, 'tell' ), 10, 3 );
	}

	/**
	 * Runs a write under the lock of its post, and looks at what it changed of others.
	 *
	 * @param int      $id    Number of the post.
	 * @param bool     $seen  Whether the write was allowed to change what visitors see.
	 * @param callable $write Compares and writes.
	 * @return mixed What the write gave; an error, by which it is taken back, where it may not stay.
	 */
	public static function watch( $id, $seen, $write ) {
		$watch = new self( $id );
		add_filter( 'query', array( $watch, 'query' ) );
		add_action( 'delete_post_meta', array( $watch, 'meta' ), 0, 2 );
		add_action( 'wp_insert_post', array( $watch, 'made' ), 0, 3 );
		try {
			$result = $write();
		} finally {
			remove_filter( 'query', array( $watch, 'query' ) );
			remove_action( 'delete_post_meta', array( $watch, 'meta' ), 0 );
			remove_action( 'wp_insert_post', array( $watch, 'made' ), 0 );
		}
		$others = is_wp_error( $result ) ? array() : $watch->changed();
		// Without transactions nothing could be taken back.
		if ( ! $others || $seen || 'name' === Row_Lock::kind() ) {
			self::$told = array_merge( self::$told, $others );
			return $result;
		}
		foreach ( array_keys( $watch->before ) as $other ) {
			self::forget( $other ); // What was cached of the write that is taken back.
		}
		$text = __( 'The write would change other posts that visitors see', 'site-ops' );
		return Errors::make( 'elsewhere', $text, array( 'others' => $others ) );
	}

	/**
	 * Names, in a header of the plugin's own answers, what was changed elsewhere.
	 *
	 * @param WP_REST_Response $response The answer.
	 * @param mixed            $server   Unused.
	 * @param WP_REST_Request  $request  What was asked.
	 * @return WP_REST_Response
	 */
	public static function tell( $response, $server, $request ) {
		if ( self::$told && 0 === strpos( $request->get_route(), '/' . REST_NAMESPACE . '/' ) ) {
			$named = array_map(
				static function ( $one ) {
					return $one['id'] . ' ' . implode( ' ', $one['parts'] );
				},
				array_slice( self::$told, 0, self::NAMED )
			);
			$response->header( self::HEADER, implode( ', ', $named ) );
		}
		return $response;
	}

	/**
	 * Filters `query`: notes how the posts are that a statement is about, right before it runs.
	 *
	 * @param string $sql The statement.
	 * @return string The same.
	 */
	public function query( $sql ) {
		global $wpdb;
		if ( $this->busy || ! preg_match( '/^\s*(INSERT|REPLACE|UPDATE|DELETE)\b/i', $sql ) ) {
			return $sql;
		}
		$columns = array(
			$wpdb->posts              => 'ID',
			$wpdb->postmeta           => 'post_id',
			$wpdb->term_relationships => 'object_id',
		);
		foreach ( $columns as $table => $column ) {
			if ( preg_match( '/\b' . preg_quote( $table, '/' ) . '\b/', substr( $sql, 0, 200 ) ) ) {
				array_map( array( $this, 'note' ), self::numbers( $sql, $column ) );
			}
		}
		return $sql;
	}

	/**
	 * The numbers that a statement has for a column: in its condition, or at the beginning of each row of values.
	 *
	 * @param string $sql    The statement.
	 * @param string $column The column.
	 * @return int[]
	 */
	private static function numbers( $sql, $column ) {
		$where = strripos( $sql, 'WHERE' );
		$end   = false === $where ? '' : substr( $sql, $where );
		preg_match_all( '/\b' . $column . '`?\s*(?:=\s*\'?(\d+)|IN\s*\(([\d\s,\']+)\))/i', $end, $found );
		$texts  = array_merge( $found[1], $found[2] );
		$values = '' === $end && 'ID' !== $column ? stripos( $sql, 'VALUES' ) : false;
		if ( false !== $values ) {
			preg_match_all( '/\(\s*\'?(\d+)/', substr( $sql, $values, 10000 ), $rows );
			$texts = array_merge( $texts, $rows[1] );
		}
		preg_match_all( '/\d+/', implode( ' ', $texts ), $numbers );
		return array_map( 'intval', $numbers[0] );
	}

	/**
	 * Notes the post whose meta is about to be removed, by the numbers of its rows.
	 *
	 * @param int[] $rows Unused.
	 * @param int   $id   Number of the post.
	 */
	public function meta( $rows, $id ) {
		$this->note( $id );
	}

	/**
	 * Notes a post that is new.
	 *
	 * @param int     $id     Its number.
	 * @param WP_Post $post   Unused.
	 * @param bool    $is_old Whether it was there before.
	 */
	public function made( $id, $post, $is_old ) {
		if ( ! $is_old && ! array_key_exists( $id, $this->before ) ) {
			$this->before[ $id ] = null;
		}
	}

	/**
	 * Notes how another post is, the first time it is named.
	 *
	 * @param int $id Its number.
	 */
	private function note( $id ) {
		if ( $this->busy || (int) $id === $this->own || array_key_exists( $id, $this->before ) ) {
			return;
		}
		$this->busy          = true;
		$this->before[ $id ] = self::seen( $id );
		$this->busy          = false;
	}

	/**
	 * What was changed of other posts that visitors see, or saw before.
	 *
	 * @return array[] id, type, title and parts of each.
	 */
	private function changed() {
		$others = array();
		foreach ( $this->before as $id => $before ) {
			$after = self::seen( $id );
			$post  = get_post( $id );
			if ( $before === $after ) {
				continue;
			}
			$parts    = array_keys( array_diff_assoc( (array) $after, (array) $before ) + array_diff_assoc( (array) $before, (array) $after ) );
			$others[] = array(
				'id'    => $id,
				'type'  => $post ? $post->post_type : '',
				'title' => $post ? $post->post_title : '',
				'parts' => null === $before || null === $after ? array( 'status' ) : $parts,
			);
		}
		return $others;
	}

	/**
	 * The parts of a post that visitors see, as the database has it; null where they do not see it.
	 *
	 * @param int $id Its number.
	 * @return array|null
	 */
	private static function seen( $id ) {
		self::forget( $id );
		$post = get_post( $id );
		if ( ! $post instanceof WP_Post || ! Access::is_live( $post ) ) {
			return null;
		}
		$shown = in_array( $post->post_type, self::PARTS, true ) || is_post_type_viewable( $post->post_type );
		// The date stands in two columns, of which themes show the other one.
		return $shown ? Post_Parts::hashes( $post ) + array( 'date' => $post->post_date ) : null;
	}

	/**
	 * Drops what was cached of a post.
	 *
	 * @param int $id Its number.
	 */
	private static function forget( $id ) {
		wp_cache_delete( $id, 'posts' );
		wp_cache_delete( $id, 'post_meta' );
		foreach ( get_taxonomies() as $taxonomy ) {
			wp_cache_delete( $id, "{$taxonomy}_relationships" );
		}
	}
}
