<?php
/**
 * The two connections of a call that is held on MariaDB or MySQL.
 *
 * @package SiteOps
 */

namespace SiteOps;

use mysqli;
use mysqli_result;
use Throwable;

defined( 'ABSPATH' ) || exit;

/** Reads on WordPress's own connection, which is held, and on a second one, which sees what was before. */
abstract class Hold_Mysql extends Hold_Database {

	/** Engines by table. */
	const ENGINES = "SELECT TABLE_NAME AS n, ENGINE AS e FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'";

	/**
	 * The connection that is held.
	 *
	 * @var mysqli
	 */
	protected $held;

	/**
	 * The connection that sees what was before.
	 *
	 * @var mysqli
	 */
	protected $old;

	/**
	 * Engine by table, of those that were asked for; null where there is no such table.
	 *
	 * @var array
	 */
	private $engines = array();

	/**
	 * What the server says of the columns of the tables that were asked for.
	 *
	 * @var array[]
	 */
	private $fields = array();

	/**
	 * Whether the engines of all tables were read.
	 *
	 * @var bool
	 */
	private $is_whole = false;

	// What these methods do is said where they are declared.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function tables() {
		return array_keys( $this->all_engines() );
	}

	public function has_table( $table ) {
		return null !== $this->engine( $table );
	}

	public function quote( $text ) {
		return "'" . $this->old->real_escape_string( (string) $text ) . "'";
	}

	protected function now( $sql ) {
		return $this->ask( $this->held, $sql );
	}

	protected function was( $sql ) {
		return $this->ask( $this->old, $sql );
	}

	protected function sides( $sql ) {
		return array_reverse( $this->both( $sql, $sql ) );
	}

	protected function read_shape( $table ) {
		$shape = array(
			'columns'       => array(),
			'key'           => array(),
			'auto'          => null,
			'transactional' => 'InnoDB' === $this->engine( $table ),
		);
		if ( ! isset( $this->fields[ $table ] ) ) {
			$this->look_up( $table );
		}
		foreach ( $this->fields[ $table ] as $column ) {
			$shape['columns'][] = $column->name;
			if ( $column->flags & MYSQLI_PRI_KEY_FLAG ) {
				$shape['key'][] = $column->name;
			}
			if ( $column->flags & MYSQLI_AUTO_INCREMENT_FLAG ) {
				$shape['auto'] = $column->name;
			}
		}
		return $shape;
	}

	protected function sum( array $columns ) {
		$sums = array();
		foreach ( $columns as $column ) {
			$sums[] = "IFNULL(MD5(`$column`),'-')";
		}
		return 'MD5(CONCAT(' . implode( ",'|',", $sums ) . '))';
	}

	// phpcs:enable

	/**
	 * Runs a statement of ours.
	 *
	 * @param mysqli $link On which connection.
	 * @param string $sql  The statement.
	 * @return array[] Its rows.
	 */
	protected function ask( mysqli $link, $sql ) {
		$result = $this->send( $link, $sql );
		return $result instanceof mysqli_result ? $result->fetch_all( MYSQLI_ASSOC ) : array();
	}

	/**
	 * Runs two statements of ours at the same time.
	 *
	 * @param string $now Statement of the held connection.
	 * @param string $was Statement of the second one.
	 * @return array Rows of both.
	 */
	protected function both( $now, $was ) {
		$sent   = $this->begin_now( $now );
		$second = $this->was( $was );
		return array( $this->end_now( $sent ), $second );
	}

	/**
	 * Sends a statement of ours on the held connection, without waiting for its rows.
	 *
	 * @param string $sql The statement.
	 * @return bool Whether it was sent, for end_now().
	 */
	protected function begin_now( $sql ) {
		return false !== $this->send( $this->held, $sql, MYSQLI_ASYNC );
	}

	/**
	 * Waits for the rows of begin_now(); nothing else may be sent on the held connection before.
	 *
	 * @param bool $sent What begin_now() gave.
	 * @return array[] The rows.
	 */
	protected function end_now( $sent ) {
		try {
			$result = $sent ? $this->held->reap_async_query() : false;
		} catch ( Throwable $error ) {
			$result = false;
		}
		$this->failed = $this->failed || false === $result;
		return $result instanceof mysqli_result ? $result->fetch_all( MYSQLI_ASSOC ) : array();
	}

	/**
	 * Sends a statement of ours.
	 *
	 * @param mysqli $link On which connection.
	 * @param string $sql  The statement.
	 * @param int    $how  MYSQLI_ASYNC where the result is taken later.
	 * @return mysqli_result|bool
	 */
	private function send( mysqli $link, $sql, $how = MYSQLI_STORE_RESULT ) {
		try {
			$result = $link->query( $sql, $how );
		} catch ( Throwable $error ) {
			$result = false;
		}
		if ( false === $result ) {
			$this->failed = true;
		}
		return $result;
	}

	/**
	 * A second connection, made as WordPress makes its own.
	 *
	 * @return mysqli|null Null where the server allows no more.
	 */
	protected static function connect() {
		global $wpdb;
		$place = $wpdb->parse_db_host( DB_HOST );

		list( $host, $port, $socket, $is_ipv6 ) = $place ? $place : array( DB_HOST, null, null, false );
		$link                                   = mysqli_init();
		if ( $wpdb->charset ) {
			$link->options( MYSQLI_SET_CHARSET_NAME, $wpdb->charset );
		}
		$host = $is_ipv6 ? "[$host]" : $host;
		try {
			// phpcs:ignore WordPress.PHP.NoSilencedErrors -- a refusal is answered, not logged.
			$done = @$link->real_connect( $host, DB_USER, DB_PASSWORD, DB_NAME, (int) $port, (string) $socket, defined( 'MYSQL_CLIENT_FLAGS' ) ? MYSQL_CLIENT_FLAGS : 0 )
				&& ( ! $wpdb->charset || $link->character_set_name() === $wpdb->charset || $link->set_charset( $wpdb->charset ) );
		} catch ( Throwable $error ) {
			$done = false;
		}
		return $done ? $link : null;
	}

	/**
	 * Engine of a table.
	 *
	 * @param string $table Its name.
	 * @return string|null Null where there is no such table.
	 */
	protected function engine( $table ) {
		if ( ! $this->is_whole && ! array_key_exists( $table, $this->engines ) ) {
			$this->look_up( $table );
		}
		return $this->engines[ $table ] ?? null;
	}

	/**
	 * Reads engine and columns of a table. What the server says of the columns of a result costs a tenth of SHOW COLUMNS.
	 *
	 * @param string $table Its name.
	 */
	private function look_up( $table ) {
		$sent   = $this->begin_now( self::ENGINES . ' AND TABLE_NAME = ' . $this->quote( $table ) );
		$failed = $this->failed;
		$result = $this->send( $this->old, "SELECT * FROM `$table` LIMIT 0" );
		// That there is no such table is no failure.
		$this->failed           = $failed;
		$this->fields[ $table ] = $result instanceof mysqli_result ? $result->fetch_fields() : array();

		$this->engines[ $table ] = array_column( $this->end_now( $sent ), 'e', 'n' )[ $table ] ?? null;
	}

	/**
	 * Engines of all tables.
	 *
	 * @return string[] By table.
	 */
	protected function all_engines() {
		if ( ! $this->is_whole ) {
			$this->engines  = array_column( $this->was( self::ENGINES ), 'e', 'n' );
			$this->is_whole = true;
		}
		return $this->engines;
	}

	/**
	 * Whether triggers may have written rows that no statement names. MariaDB counts what a trigger does as statements of
	 * the session, so that unseen() tells it there.
	 *
	 * @return bool
	 */
	protected function has_triggers() {
		return false === strpos( $this->old->server_info, 'MariaDB' )
			&& array() !== $this->was( 'SELECT 1 FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() LIMIT 1' );
	}
}
