<?php
/**
 * What lies over the object cache during a held call.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/** Reads from the site's object cache, writes to itself. */
final class Hold_Overlay {

	/** Names of further methods that write nothing. */
	const READS = '/^(get|has|is|info|stats|build_key|key|switch_to_blog|add_global_groups|add_non_persistent_groups|status|redis_status|redis_version)/';

	/**
	 * The site's object cache.
	 *
	 * @var object
	 */
	private $real;

	/**
	 * What was written: key, group and value; the value is missing where it was deleted.
	 *
	 * @var array[]
	 */
	private $own = array();

	/**
	 * Lies over a cache.
	 *
	 * @param object $real The cache.
	 */
	public function __construct( $real ) {
		$this->real = $real;
	}

	/**
	 * What was written.
	 *
	 * @return array[] Key and group.
	 */
	public function written() {
		$written = array();
		foreach ( $this->own as $one ) {
			$written[] = array( $one[0], $one[1] );
		}
		return $written;
	}

	/**
	 * Whether something was written here.
	 *
	 * @param int|string $key   Its key.
	 * @param string     $group Its group.
	 * @return bool
	 */
	public function has( $key, $group ) {
		return isset( $this->own[ self::name( $key, $group ) ] );
	}

	/**
	 * The place of a key.
	 *
	 * @param int|string $key   The key.
	 * @param string     $group Its group.
	 * @return string
	 */
	private static function name( $key, $group ) {
		return ( $group ? $group : 'default' ) . "\0" . $key;
	}

	// What these methods do is said in WordPress's own cache.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function set( $key, $value, $group = 'default' ) {
		$group = $group ? $group : 'default';

		$this->own[ self::name( $key, $group ) ] = array( $key, $group, is_object( $value ) ? clone $value : $value );
		return true;
	}

	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		$name = self::name( $key, $group );
		if ( ! isset( $this->own[ $name ] ) ) {
			return $this->real->get( $key, $group, $force, $found );
		}
		$found = array_key_exists( 2, $this->own[ $name ] );
		$value = $found ? $this->own[ $name ][2] : false;
		return is_object( $value ) ? clone $value : $value;
	}

	public function delete( $key, $group = 'default' ) {
		$group = $group ? $group : 'default';
		$this->get( $key, $group, false, $found );
		$this->own[ self::name( $key, $group ) ] = array( $key, $group );
		return (bool) $found;
	}

	public function add( $key, $value, $group = 'default' ) {
		$this->get( $key, $group, false, $found );
		return ! $found && $this->set( $key, $value, $group );
	}

	public function replace( $key, $value, $group = 'default' ) {
		$this->get( $key, $group, false, $found );
		return $found && $this->set( $key, $value, $group );
	}

	public function incr( $key, $offset = 1, $group = 'default' ) {
		$value = $this->get( $key, $group, false, $found );
		if ( ! $found ) {
			return false;
		}
		$value = max( 0, (int) $value + $offset );
		$this->set( $key, $value, $group );
		return $value;
	}

	public function decr( $key, $offset = 1, $group = 'default' ) {
		return $this->incr( $key, -$offset, $group );
	}

	public function get_multiple( $keys, $group = 'default', $force = false ) {
		$values = array();
		foreach ( $keys as $key ) {
			$values[ $key ] = $this->get( $key, $group, $force );
		}
		return $values;
	}

	public function set_multiple( array $data, $group = '' ) {
		return $this->each( 'set', $data, $group );
	}

	public function add_multiple( array $data, $group = '' ) {
		return $this->each( 'add', $data, $group );
	}

	public function delete_multiple( array $keys, $group = '' ) {
		$done = array();
		foreach ( $keys as $key ) {
			$done[ $key ] = $this->delete( $key, $group );
		}
		return $done;
	}

	public function flush() {
		Hold_Outside::note( 'cache', 'The object cache would be emptied' );
		return true;
	}

	public function flush_group( $group ) {
		Hold_Outside::note( 'cache', "Group $group of the object cache would be emptied" );
		return true;
	}

	public function flush_runtime() {
		return true;
	}

	public function close() {
		return true;
	}

	public function __call( $method, $arguments ) {
		if ( preg_match( self::READS, $method ) ) {
			return $this->real->$method( ...$arguments );
		}
		Hold_Outside::note( 'other', "Refused: $method() of the object cache" );
		return false;
	}

	public function __get( $name ) {
		return $this->real->$name;
	}

	public function __isset( $name ) {
		return isset( $this->real->$name );
	}

	private function each( $method, array $data, $group ) {
		$done = array();
		foreach ( $data as $key => $value ) {
			$done[ $key ] = $this->$method( $key, $value, $group );
		}
		return $done;
	}
}
