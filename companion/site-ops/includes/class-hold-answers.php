<?php
/**
 * GET /holds/{id} and POST /holds/{id}/acknowledged: what became of a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Tells the gateway that made a held call whether it was committed; every request is signed. */
final class Hold_Answers {

	const PATH = '/holds/(?P<id>[0-9a-f]{32})';

	/** Registers the routes. */
	public static function register_routes() {
		$before = array(
			'before' => array(
				'type'    => 'boolean',
				'default' => false,
			),
		);
		$args   = $before + array( 'setback' => $before['before'] );
		Routes::read( self::PATH, array( __CLASS__, 'read' ), array( __CLASS__, 'may' ), $args );
		Routes::write( self::PATH . '/acknowledged', array( __CLASS__, 'acknowledge' ), array( __CLASS__, 'may' ) );
	}

	/**
	 * Whoever writes posts and signs.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return bool|WP_Error
	 */
	public static function may( $request ) {
		$key = Access::has( 'edit_posts' ) ? Hold_Signature::of( $request ) : false;
		return is_array( $key ) ? true : $key;
	}

	/**
	 * Answers GET /holds/{id}. "Not found" means that nothing was committed and nothing will be.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function read( $request ) {
		$id = $request['id'];
		// Asked first: what has ended by now has left its receipt.
		if ( class_exists( Hold::class ) && Hold::running( $id ) ) {
			return array(
				'id'      => $id,
				'outcome' => 'running',
			);
		}
		$receipt = Hold_Receipts::settle( $id, Hold_Signature::of( $request ) );
		if ( ! is_array( $receipt ) ) {
			return $receipt ?? self::not_found( $id );
		}
		$answer = array(
			'id'      => $id,
			'outcome' => 'committed',
			'digest'  => $receipt['digest'],
			'labels'  => $receipt['labels'],
			'effects' => $receipt['effects'],
			'at'      => gmdate( 'Y-m-d\TH:i:s\Z', $receipt['created'] ),
		);
		if ( $request['setback'] && $receipt['setback'] ) {
			$answer['setback'] = $receipt['setback'];
		}
		return $request['before'] ? $answer + array( 'before' => self::before( $receipt['rows'] ) ) : $answer;
	}

	/**
	 * Answers POST /holds/{id}/acknowledged: the rows are forgotten, the receipt stays.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return array|WP_Error
	 */
	public static function acknowledge( $request ) {
		$id      = $request['id'];
		$receipt = Hold_Receipts::kept( $id, Hold_Signature::of( $request ) );
		if ( ! is_array( $receipt ) ) {
			return $receipt ?? self::not_found( $id );
		}
		Hold_Receipts::acknowledge( $id );
		return array(
			'id'           => $id,
			'acknowledged' => true,
		);
	}

	/**
	 * The rows as they were before.
	 *
	 * @param array|null $rows As Hold_Receipts::statement() takes them; null where they were forgotten.
	 * @return array[]|null
	 */
	private static function before( $rows ) {
		if ( null === $rows ) {
			return null;
		}
		$before = array();
		foreach ( $rows as $table => $changes ) {
			foreach ( $changes as $key => $pair ) {
				$before[] = array(
					'table' => $table,
					'key'   => (string) $key,
					'row'   => self::readable( $pair[0] ),
				);
			}
		}
		return $before;
	}

	/**
	 * A row as JSON can have it: what is no text becomes base64.
	 *
	 * @param array|null $row The row.
	 * @return array|null
	 */
	private static function readable( $row ) {
		return null === $row ? null : array_map( array( Hold_Packing::class, 'readable' ), $row );
	}

	/**
	 * The error of a call that was not committed, or is another account's.
	 *
	 * @param string $id Its id.
	 * @return WP_Error
	 */
	private static function not_found( $id ) {
		/* translators: %s: id of a held call */
		return Errors::make( 'hold_not_found', sprintf( __( 'No held call %s was committed', 'site-ops' ), $id ) );
	}
}
