<?php
/**
 * One held call, from its beginning to its end.
 *
 * @package SiteOps
 */

namespace SiteOps;

use Throwable;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Begins the transaction, judges what the tool did in it, and keeps that or takes it back. */
final class Hold_Run {

	/** How long another held call, or another writer, is waited for. */
	const WAIT_SECONDS = 5;

	/** The method of a held call of a tool server, which nobody else knows: without this plugin nothing is run. */
	const METHOD = 'site-ops/tools/call';

	/** Where it stands in a body, as the gateway writes one. */
	const METHOD_PLACE = '#^(\{"jsonrpc":"2\.0","id":\d+,"method":")site-ops/(?=tools/call",)#';

	/**
	 * What the header asks for.
	 *
	 * @var Hold_Ask|null
	 */
	private $ask = null;

	/**
	 * The database.
	 *
	 * @var Hold_Database|null
	 */
	private $db = null;

	/**
	 * The preview that the effects must equal.
	 *
	 * @var array|null
	 */
	private $preview = null;

	/**
	 * Who called what: id, key_id, user_id, route and body_hash of the receipt.
	 *
	 * @var array
	 */
	private $caller = array();

	/**
	 * Route and body of the request.
	 *
	 * @var string
	 */
	private $request = '';

	/**
	 * Judges the request, keeps other held calls out, and begins the transaction.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string          $header  The value of the header.
	 * @return WP_Error|null Why it cannot be.
	 */
	public function begin( $request, $header ) {
		$route = $request->get_route();
		$body  = (string) $request->get_body();
		$key   = Hold_Signature::verify( $request->get_method(), $route, $body, $header );
		$ask   = Hold_Ask::read( $header );
		if ( is_wp_error( $key ) || is_string( $ask ) ) {
			return is_wp_error( $key ) ? $key : Errors::make( 'hold_header', $ask );
		}
		$missing = Hold_Host::missing();
		if ( null !== $missing ) {
			return Errors::make( 'hold_unsupported', $missing );
		}
		$this->ask     = $ask;
		$this->request = $route . "\n" . $body;
		$this->caller  = array(
			'id'        => $ask->id,
			'key_id'    => $key['key_id'],
			'user_id'   => $key['user_id'],
			'route'     => $route,
			'body_hash' => hash( 'sha256', $body ),
		);
		$this->db      = Hold_Host::database();
		if ( ! $this->db->lock( $ask->id, self::WAIT_SECONDS ) ) {
			return Errors::make( 'busy', __( 'Another held call is running', 'site-ops' ) );
		}
		if ( Hold_Receipts::used( $ask->id ) ) {
			return Errors::make( 'hold_used', __( 'A call with this id was made before', 'site-ops' ) );
		}
		if ( '' !== $ask->expect && ! $this->find_preview() ) {
			$why  = __( 'There is no such preview of this call, or it is too old', 'site-ops' );
			$none = new Hold_Effects( $ask, array(), array(), array(), $this->db );
			return Errors::make( 'held', $why, Hold_Told::refusal( $ask->id, 'no_such_preview', $why, null, $none, null ) );
		}
		if ( ! Hold_Cache::start() ) {
			return Errors::make( 'hold_unsupported', __( 'The object cache cannot be held', 'site-ops' ) );
		}
		$error = $this->db->begin( self::WAIT_SECONDS );
		if ( null === $error ) {
			$request->set_body( preg_replace( self::METHOD_PLACE, '$1', $body ) ?? $body );
		}
		return $error;
	}

	/**
	 * Finds the dry run that is expected: of the same caller and request.
	 *
	 * @return bool
	 */
	private function find_preview() {
		$this->preview = Hold_Receipts::dry( $this->ask->expect );
		foreach ( array( 'key_id', 'user_id', 'route', 'body_hash' ) as $name ) {
			if ( null === $this->preview || $this->preview[ $name ] !== $this->caller[ $name ] ) {
				return false;
			}
		}
		return true;
	}

	/** Ends the call: judges its effects, keeps them or takes them back, and answers. */
	public function finish() {
		$watched = Hold_Files::stop();
		$escaped = $watched ? $this->db->escaped() : __( 'the watch over files was taken off', 'site-ops' );
		Hold::end();
		$rows    = null === $escaped ? $this->db->rows() : array();
		$effects = new Hold_Effects( $this->ask, $rows, Hold_Journal::changes(), Hold_Outside::$notes, $this->db );
		if ( null !== $escaped ) {
			$this->take_back();
			$this->answer( 'escaped', 'hold_escaped', Hold_Told::refusal( $this->ask->id, null, $escaped, null, $effects, Hold_Reply::answer() ) );
			return;
		}
		list( $reason, $why ) = $this->judge( $effects );
		if ( $this->ask->dry ) {
			$this->finish_dry( $effects, $why );
			return;
		}
		if ( null === $reason && $this->keep( $effects ) ) {
			return;
		}
		if ( null === $reason ) {
			list( $reason, $why ) = array( 'commit_refused', __( 'the database did not commit', 'site-ops' ) );
		}
		$this->take_back();
		$this->answer( 'rolled_back', 'held', Hold_Told::refusal( $this->ask->id, $reason, $why, 'stale' === $reason ? $why : null, $effects, Hold_Reply::answer() ) );
	}

	/**
	 * Why the effects must not stay.
	 *
	 * @param Hold_Effects $effects The effects.
	 * @return array Reason and sentence; null and null where they may.
	 */
	private function judge( Hold_Effects $effects ) {
		$failure = Hold_Reply::failure();
		if ( null !== $failure ) {
			return array( 'tool_failed', $failure );
		}
		if ( $this->db->failed ) {
			return array( 'not_allowed', __( 'not every change could be read', 'site-ops' ) );
		}
		if ( null !== $this->db->meanwhile ) {
			/* translators: %s: table and key of a row */
			return array( 'meanwhile', sprintf( __( 'somebody else changed %s meanwhile', 'site-ops' ), $this->db->meanwhile ) );
		}
		if ( $this->ask->dry ) {
			return array( null, null );
		}
		if ( null !== $this->preview ) {
			$equality = new Hold_Equality( $this->request );
			$differs  = $equality->differing( $this->preview, $effects->rows(), $effects->outside_digest() );
			if ( null !== $differs ) {
				return array( 'stale', $differs );
			}
		}
		$over = $effects->over();
		/* translators: %s: labels */
		return $over ? array( 'not_allowed', sprintf( __( 'effects that were not allowed: %s', 'site-ops' ), implode( ', ', $over ) ) ) : array( null, null );
	}

	/** Watches what the tool does. */
	public function watch() {
		add_filter( 'query', array( $this->db->statements, 'query' ), PHP_INT_MAX );
		Hold_Outside::start( $this->ask->reads_http );
		Hold_Files::start();
	}

	/**
	 * Takes the call back where its end was not reached.
	 *
	 * @return string What is answered.
	 */
	public function abandon() {
		Hold_Files::stop();
		Hold::end();
		$this->take_back();
		$effects = new Hold_Effects( $this->ask, array(), array(), array(), $this->db );
		$why     = __( 'the tool failed while the request ended', 'site-ops' );
		$told    = Hold_Told::call( $this->ask->id, 'rolled_back', $why, $effects, Hold_Reply::answer() );
		Hold_Reply::mark( 'rolled_back', $this->ask->id, $told['digest'] );
		return $this->ask->dry
			? Hold_Reply::prepare( 200, array( 'hold' => $told ) )
			: Hold_Reply::prepare( 409, Hold_Told::error( 'held', Hold_Told::refusal( $this->ask->id, 'tool_failed', $why, null, $effects, $told['answer'] ) ) );
	}

	/**
	 * Ends a dry run: everything is taken back, and its effects are kept to be confirmed.
	 *
	 * @param Hold_Effects $effects The effects.
	 * @param string|null  $why     Why it could not be kept, or null.
	 */
	private function finish_dry( Hold_Effects $effects, $why ) {
		$told = Hold_Told::call( $this->ask->id, 'rolled_back', $why, $effects, Hold_Reply::answer() );
		$this->take_back();
		if ( null === $why ) {
			// Nobody reads the effects of a preview again; what is confirmed is compared with all of them.
			$compared = array( 'effects' => array( 'outside' => $effects->outside_digest() ) );
			$receipt  = $compared + $this->receipt( $effects );
			$this->db->freely(
				static function () use ( $receipt ) {
					Hold_Receipts::keep_dry( $receipt );
				}
			);
		}
		$this->db->seal();
		Hold_Reply::mark( 'rolled_back', $this->ask->id, $told['digest'] );
		Hold_Reply::send( 200, array( 'hold' => $told ) );
	}

	/**
	 * Commits, with the receipt, and passes the tool's answer on.
	 *
	 * @param Hold_Effects $effects The effects.
	 * @return bool Whether it was committed.
	 */
	private function keep( Hold_Effects $effects ) {
		// What the rows became can be read where they are; only what they were is kept.
		$before                 = array(
			'kind'    => 'kept',
			'rows'    => array_map( array( __CLASS__, 'before' ), $effects->rows() ),
			'setback' => $effects->setback->kept(),
		);
		list( $table, $values ) = Hold_Receipts::statement( $before + $this->receipt( $effects ) );

		$quoted  = implode( ', ', array_map( array( $this->db, 'quote' ), $values ) );
		$columns = '`' . implode( '`, `', array_keys( $values ) ) . '`';
		if ( ! $this->db->end( "INSERT INTO `$table` ( $columns ) VALUES ( $quoted )" ) ) {
			return false;
		}
		// Whatever fails from here on: the call is committed, and that is answered.
		Hold_Reply::mark( 'committed', $this->ask->id, $effects->digest() );
		Hold_Reply::secure();
		try {
			Hold_Cache::keep();
			Hold_Journal::forget();
			$this->db->seal();
			Hold_Outside::send();
		} catch ( Throwable $error ) {
			error_log( "Site Ops: after the commit of held call {$this->ask->id}: " . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
		}
		Hold_Reply::pass();
		return true;
	}

	/**
	 * The rows of a table as they were.
	 *
	 * @param array[] $rows Each before and after, by key.
	 * @return array[] The same without what is after.
	 */
	private static function before( array $rows ) {
		return array_map(
			static function ( $pair ) {
				return array( $pair[0], null );
			},
			$rows
		);
	}

	/** Takes everything back. */
	private function take_back() {
		$this->db->end( null );
		Hold_Journal::undo();
		Hold_Cache::drop();
	}

	/**
	 * Answers with a refusal.
	 *
	 * @param string $outcome rolled_back or escaped.
	 * @param string $code    Code of the error.
	 * @param array  $data    As refusal() makes it.
	 */
	private function answer( $outcome, $code, array $data ) {
		$data['hold']['outcome'] = $outcome;
		$this->db->seal();
		Hold_Reply::mark( $outcome, $this->ask->id, $data['hold']['digest'] );
		Hold_Reply::send( 409, Hold_Told::error( $code, $data ) );
	}

	/**
	 * The receipt.
	 *
	 * @param Hold_Effects $effects The effects.
	 * @return array
	 */
	private function receipt( Hold_Effects $effects ) {
		return $this->caller + array(
			'digest'  => $effects->digest(),
			'labels'  => $effects->labels(),
			'effects' => $effects->told(),
			'rows'    => $effects->rows(),
		);
	}
}
