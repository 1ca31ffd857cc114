<?php
/**
 * What is kept of held calls: receipts of those that were committed, and the effects of dry runs.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * The table of receipts. The row of a committed call is written in the same transaction as its effects, so that its being
 * there says that they are.
 */
final class Hold_Receipts {

	/** Option that says which version of the plugin made the table; absent where no gateway was ever connected. */
	const OPTION = 'site_ops_holds_version';

	/** How long a dry run may be confirmed, and how long a call that was never made stays refused. */
	const DRY_SECONDS = 1200;

	const KEPT_SECONDS = 604800;

	/** The columns kept as JSON. */
	const JSON_COLUMNS = array( 'labels', 'effects', 'rows' );

	/** What would set a call back stands among its rows, under the name of no table: so it needs no column, and goes with them. */
	const SETBACK = '';

	/**
	 * Name of the table.
	 *
	 * @return string
	 */
	public static function table() {
		global $wpdb;
		return $wpdb->prefix . 'site_ops_holds';
	}

	/**
	 * Makes the table. It is made by the connecting of a gateway and after an update, never during a held call: the
	 * database would refuse it there.
	 *
	 * @return bool Whether it is there.
	 */
	public static function install() {
		global $wpdb;
		if ( class_exists( Hold::class ) && Hold::is_held() ) {
			return false;
		}
		$table   = self::table();
		$charset = $wpdb->get_charset_collate();
		// phpcs:disable WordPress.DB -- a table of the plugin's own, of which no value comes from outside.
		$made = $wpdb->query(
			"CREATE TABLE IF NOT EXISTS `$table` (
				`id` varchar(32) NOT NULL,
				`kind` varchar(8) NOT NULL,
				`key_id` varchar(16) NOT NULL,
				`user_id` bigint(20) unsigned NOT NULL,
				`route` text NOT NULL,
				`body_hash` varchar(64) NOT NULL,
				`created` bigint(20) unsigned NOT NULL,
				`digest` varchar(64) NOT NULL,
				`labels` longtext NOT NULL,
				`effects` longtext NOT NULL,
				`rows` longtext,
				`acknowledged` bigint(20) unsigned,
				PRIMARY KEY (`id`)
			) ENGINE=InnoDB $charset"
		);
		// phpcs:enable
		if ( false === $made ) {
			return false;
		}
		update_option( self::OPTION, VERSION );
		return true;
	}

	/** Makes the table anew where another version of the plugin made it. */
	public static function update() {
		$version = get_option( self::OPTION );
		if ( false !== $version && VERSION !== $version ) {
			self::install();
		}
	}

	/**
	 * The row of a receipt, for the INSERT that a held call makes inside its transaction.
	 *
	 * @param array $receipt id, kind, key_id, user_id, route, body_hash, digest, labels, effects (of a committed call those
	 *                       that are told, of a dry run a sum of those outside the database), and rows:
	 *                       array( table => array( key => array( row before or null, row after or null ) ) ); of a
	 *                       committed call the rows after are left out; of one also setback, as Hold_Setback keeps it.
	 * @return array Name of the table, and values by column; the column `rows` needs backticks.
	 */
	public static function statement( array $receipt ) {
		$values = array();
		foreach ( array( 'id', 'kind', 'key_id', 'user_id', 'route', 'body_hash', 'digest' ) as $column ) {
			$values[ $column ] = $receipt[ $column ];
		}
		if ( isset( $receipt['setback'] ) ) {
			$receipt['rows'][ self::SETBACK ] = $receipt['setback'];
		}
		foreach ( self::JSON_COLUMNS as $column ) {
			$values[ $column ] = Hold_Packing::encode( $receipt[ $column ] );
		}
		return array( self::table(), $values + array( 'created' => time() ) );
	}

	/**
	 * Keeps the effects of a dry run, after it was rolled back.
	 *
	 * @param array $receipt As statement() takes it.
	 * @return bool Whether they were stored.
	 */
	public static function keep_dry( array $receipt ) {
		self::expire();
		return self::insert( 'INSERT', array( 'kind' => 'dry' ) + $receipt );
	}

	/**
	 * A dry run that may still be confirmed.
	 *
	 * @param string $id Its id.
	 * @return array|null As statement() takes it, with created.
	 */
	public static function dry( $id ) {
		$found = self::find( $id );
		return $found && 'dry' === $found['kind'] && $found['created'] + self::DRY_SECONDS > time() ? $found : null;
	}

	/**
	 * Whether there was a held call of that id, or one is not to be made any more.
	 *
	 * @param string $id Its id.
	 * @return bool
	 */
	public static function used( $id ) {
		return null !== self::find( $id );
	}

	/**
	 * The receipt of a committed call. Where there is none the id is taken, so that a call that comes late cannot be
	 * committed after somebody was told that it was not.
	 *
	 * @param string $id  Its id.
	 * @param array  $key The key of the asking gateway, as Hold_Signature gives it.
	 * @return array|WP_Error|null As kept(); an error where the id could not be taken, so that nothing is known.
	 */
	public static function settle( $id, array $key ) {
		if ( ! self::used( $id ) && ! self::take( $id, $key ) ) {
			return Errors::make( 'busy', __( 'The receipts cannot be written now, so that nothing can be said of the call yet', 'site-ops' ) );
		}
		return self::kept( $id, $key );
	}

	/**
	 * The receipt of a committed call.
	 *
	 * @param string $id  Its id.
	 * @param array  $key As settle() takes it.
	 * @return array|WP_Error|null As statement() takes it, with created and acknowledged; null for none, or one of another
	 *                             account; an error where another gateway of the account made the call, for that must
	 *                             not be taken for none.
	 */
	public static function kept( $id, array $key ) {
		$found = self::find( $id );
		if ( ! $found || 'kept' !== $found['kind'] || $found['user_id'] !== $key['user_id'] ) {
			return null;
		}
		return $found['key_id'] === $key['key_id']
			? $found
			: Errors::make( 'hold_other_key', __( 'Another key of this account made the held call, and only that key is told of it', 'site-ops' ) );
	}

	/**
	 * Forgets the rows of a committed call; its receipt stays.
	 *
	 * @param string $id Its id.
	 */
	public static function acknowledge( $id ) {
		global $wpdb;
		$values = array(
			'rows'         => null,
			'acknowledged' => time(),
		);
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- a table of the plugin's own.
		$wpdb->update( self::table(), $values, array( 'id' => $id ) );
	}

	/** Takes away what is too old: by the day, and before something new is kept. */
	public static function expire() {
		global $wpdb;
		if ( false === get_option( self::OPTION ) ) {
			return;
		}
		$table = self::table();
		// phpcs:ignore WordPress.DB -- a table of the plugin's own.
		$wpdb->query( $wpdb->prepare( "DELETE FROM `$table` WHERE created < %d OR ( kind <> 'kept' AND created < %d )", time() - self::KEPT_SECONDS, time() - self::DRY_SECONDS ) );
	}

	/**
	 * Takes an id, or finds it taken. Waits for a commit of the same id that is under way.
	 *
	 * @param string $id  The id.
	 * @param array  $key As settle() takes it.
	 * @return bool Whether it is taken now.
	 */
	private static function take( $id, array $key ) {
		$void = array(
			'id'        => $id,
			'kind'      => 'void',
			'route'     => '',
			'body_hash' => '',
			'digest'    => '',
			'labels'    => array(),
			'effects'   => array(),
			'rows'      => array(),
		);
		return self::insert( 'INSERT IGNORE', $void + $key );
	}

	/**
	 * Writes a row. $wpdb's own insert() asks the server for the table's columns each time, and has no INSERT that leaves
	 * a row that is there.
	 *
	 * @param string $verb    INSERT, or INSERT IGNORE.
	 * @param array  $receipt As statement() takes it.
	 * @return bool Whether it was done.
	 */
	private static function insert( $verb, array $receipt ) {
		global $wpdb;
		list( $table, $values ) = self::statement( $receipt );
		$columns                = '`' . implode( '`, `', array_keys( $values ) ) . '`';
		$places                 = implode( ', ', array_fill( 0, count( $values ), '%s' ) );
		// phpcs:ignore WordPress.DB -- a table of the plugin's own.
		return false !== $wpdb->query( $wpdb->prepare( "$verb INTO `$table` ($columns) VALUES ($places)", array_values( $values ) ) );
	}

	/**
	 * A row of the table.
	 *
	 * @param string $id Its id.
	 * @return array|null
	 */
	private static function find( $id ) {
		global $wpdb;
		$table = self::table();
		// phpcs:ignore WordPress.DB -- a table of the plugin's own.
		$row = $wpdb->get_row( $wpdb->prepare( "SELECT * FROM `$table` WHERE id = %s", $id ), ARRAY_A );
		if ( ! $row ) {
			return null;
		}
		foreach ( self::JSON_COLUMNS as $column ) {
			$row[ $column ] = null === $row[ $column ] ? null : Hold_Packing::decode( $row[ $column ] );
		}
		$row['setback'] = $row['rows'][ self::SETBACK ] ?? null;
		unset( $row['rows'][ self::SETBACK ] );
		$row['user_id'] = (int) $row['user_id'];
		$row['created'] = (int) $row['created'];
		return $row;
	}
}
