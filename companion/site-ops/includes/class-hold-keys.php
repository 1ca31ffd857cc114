<?php
/**
 * POST /gateways: connecting a gateway, which then signs its held calls.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

defined( 'ABSPATH' ) || exit;

/** The keys of the connected gateways: several may use one account, each with a key of its own. */
final class Hold_Keys {

	/** Option of the keys: a list of key_id, key, name, user_id, paired_at. */
	const OPTION = 'site_ops_gateways';

	const NAME_MAX = 100;

	/** How many gateways one account may have. */
	const PER_ACCOUNT = 8;

	/** Registers the route. */
	public static function register_routes() {
		$args = array(
			'name' => array(
				'type'      => 'string',
				'minLength' => 1,
				'maxLength' => self::NAME_MAX,
				'required'  => true,
			),
			'code' => array(
				'type'      => 'string',
				'maxLength' => 20,
			),
		);
		Routes::write( '/gateways', array( __CLASS__, 'pair' ), array( __CLASS__, 'may_pair' ), $args );
	}

	/**
	 * Whoever may write posts may ask; who may connect is judged by the code.
	 *
	 * @return bool
	 */
	public static function may_pair() {
		return Access::has( 'edit_posts' );
	}

	/**
	 * Answers POST /gateways: gives the caller's account a key. This is the only answer that shows it.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function pair( $request ) {
		$name = sanitize_text_field( $request['name'] );
		if ( '' === $name ) {
			return Errors::argument( 'name', __( 'Give the gateway a name', 'site-ops' ) );
		}
		// Asked before the code is used up; who comes at the same moment is refused below.
		$refused = self::full() ?? self::judge( $request['code'] );
		if ( is_wp_error( $refused ) ) {
			return $refused;
		}
		if ( ! Hold_Receipts::install() ) {
			return Errors::make( 'hold_unsupported', __( 'The database did not let the plugin make its table for receipts', 'site-ops' ) );
		}
		$made = Row_Lock::alone(
			self::OPTION,
			static function () use ( $name ) {
				return self::add( $name );
			}
		);
		return is_wp_error( $made ) ? $made : new WP_REST_Response( $made, 201 );
	}

	/**
	 * Whether calls can be held on this site at all.
	 *
	 * @return array engine (innodb, sqlite or null) and why (a sentence where they cannot).
	 */
	public static function support() {
		return class_exists( Hold::class ) ? Hold::support() : array(
			'engine' => null,
			'why'    => __( 'This version of the plugin does not hold calls', 'site-ops' ),
		);
	}

	/**
	 * The key of that number.
	 *
	 * @param string $key_id Its number.
	 * @return array|null
	 */
	public static function find( $key_id ) {
		$found = self::with( 'key_id', $key_id );
		return $found ? $found[0] : null;
	}

	/**
	 * The keys of that account.
	 *
	 * @param int $user_id Number of the account.
	 * @return array[]
	 */
	public static function of_user( $user_id ) {
		return self::with( 'user_id', $user_id );
	}

	/**
	 * Every connected gateway.
	 *
	 * @return array[]
	 */
	public static function all() {
		$kept = get_option( self::OPTION );
		return is_array( $kept ) ? $kept : array();
	}

	/**
	 * Takes a key away: what it signs is refused from now on.
	 *
	 * @param string $key_id Its number.
	 */
	public static function remove( $key_id ) {
		Row_Lock::alone(
			self::OPTION,
			static function () use ( $key_id ) {
				self::forget( self::OPTION );
				$kept = array();
				foreach ( self::all() as $one ) {
					if ( $one['key_id'] !== $key_id ) {
						$kept[] = $one;
					}
				}
				update_option( self::OPTION, $kept, false );
			}
		);
	}

	/**
	 * Drops what was read of an option before nobody else could write it.
	 *
	 * @param string $option Its name.
	 */
	public static function forget( $option ) {
		wp_cache_delete( $option, 'options' );
		wp_cache_delete( 'notoptions', 'options' );
	}

	/**
	 * Whether the caller may connect: by a code, or as an administrator, who could make one.
	 *
	 * @param string|null $code What the gateway sent.
	 * @return WP_Error|null
	 */
	private static function judge( $code ) {
		if ( null === $code ) {
			return Access::has( 'manage_options' )
				? null
				: Hold_Code::refuse( __( 'The account is not an administrator\'s, so that connecting a gateway needs a code.', 'site-ops' ) );
		}
		return Row_Lock::alone(
			self::OPTION,
			static function () use ( $code ) {
				return Hold_Code::spend( $code );
			}
		);
	}

	/**
	 * Whether the caller's account has as many gateways as it may have.
	 *
	 * @return WP_Error|null
	 */
	private static function full() {
		if ( count( self::of_user( get_current_user_id() ) ) < self::PER_ACCOUNT ) {
			return null;
		}
		/* translators: %d: number of gateways */
		$why = __( 'This account has %d connected gateways, which is the most. An administrator disconnects one that is no longer used in WordPress under Tools, Site Ops; then connect again.', 'site-ops' );
		return Errors::make( 'pairing_limit', sprintf( $why, self::PER_ACCOUNT ) );
	}

	/**
	 * Makes a further key for the caller's account; those that it has stay.
	 *
	 * @param string $name Name of the gateway.
	 * @return array|WP_Error key_id and key.
	 */
	private static function add( $name ) {
		self::forget( self::OPTION );
		$full = self::full();
		if ( null !== $full ) {
			return $full;
		}
		$made   = array(
			'key_id' => bin2hex( random_bytes( 8 ) ),
			'key'    => bin2hex( random_bytes( 32 ) ),
		);
		$record = $made + array(
			'name'      => $name,
			'user_id'   => get_current_user_id(),
			'paired_at' => time(),
		);
		$kept   = self::all();
		$kept[] = $record;
		return update_option( self::OPTION, $kept, false )
			? $made
			: Errors::make( 'incomplete', __( 'The key could not be stored', 'site-ops' ) );
	}

	/**
	 * The records with that value.
	 *
	 * @param string $field Name of a field.
	 * @param mixed  $value Its value.
	 * @return array[]
	 */
	private static function with( $field, $value ) {
		$found = array();
		foreach ( self::all() as $one ) {
			if ( $one[ $field ] === $value ) {
				$found[] = $one;
			}
		}
		return $found;
	}
}
