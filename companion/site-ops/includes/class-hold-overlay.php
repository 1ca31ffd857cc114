<?php
/**
 * What lies over the object cache while a transaction runs.
 *
 * @package SiteOps
 */

namespace SiteOps;

defined( 'ABSPATH' ) || exit;

/**
 * Reads from the site's object cache, writes to itself. It has the methods of WordPress's cache and what the drop-ins in use
 * have in their place under other names. Of their further methods those that only tell something are passed on.
 */
final class Hold_Overlay extends Hold_Cached {

	/** Further methods of drop-ins that write nothing that others see; in small letters. */
	const READS = array( 'add_global_groups', 'add_non_persistent_groups', 'add_non_persistent_keys', 'add_nonpersistent_groups', 'add_redis_hash_groups', 'add_unflushable_groups', 'build_key', 'buildkey', 'buildkeys', 'fast_build_key', 'get_cache_type', 'get_data_size', 'get_stats', 'getabspath', 'getapcuavailable', 'getblogprefix', 'getcachehits', 'getcachemisses', 'getglobalgroups', 'getmultisite', 'getnonpersistentgroups', 'getoption', 'getresultcode', 'getresultmessage', 'getserverbykey', 'getserverlist', 'getstats', 'getversion', 'group_ops_stats', 'increment_stat', 'info', 'key', 'redis_status', 'redis_version', 'sqlite_files', 'sqlite_get_size', 'sqlite_get_version', 'sqlite_load_statistics', 'sqlite_load_usages', 'sqlite_sizes', 'stats', 'supports', 'timer_start', 'timer_stop' );

	/** Methods that empty the groups that they name first, and those that empty more. */
	const EMPTIES = array(
		'delete_group'          => true,
		'dc_remove_group'       => true,
		'dc_remove_group_match' => false,
		'flush_blog'            => false,
		'flush_group'           => true,
		'flush_groups'          => true,
		'flush_sites'           => false,
	);

	/** The property in which caches have what they read. */
	const RUNTIME = 'cache';

	/**
	 * Whether the cache may have read something before others were kept out: each key is asked for anew, once.
	 *
	 * @var bool
	 */
	private $is_old;

	/**
	 * Whether what may write past the overlay is refused and noted, as in a held call.
	 *
	 * @var bool
	 */
	private $refuses;

	/**
	 * Keys that were asked for anew.
	 *
	 * @var bool[]
	 */
	private $asked = array();

	/**
	 * Properties that were set.
	 *
	 * @var array
	 */
	private $set = array();

	/**
	 * Lies over a cache.
	 *
	 * @param object $real    The cache.
	 * @param bool   $is_old  As the property.
	 * @param bool   $refuses As the property.
	 */
	public function __construct( $real, $is_old, $refuses ) {
		parent::__construct( $real );
		$this->is_old  = $is_old;
		$this->refuses = $refuses;
	}

	// What these methods do is said in WordPress's own cache.
	// phpcs:disable Squiz.Commenting.FunctionComment.Missing

	public function set( $key, $value, $group = 'default', $expire = 0 ) {
		$this->keep( $key, $group, $value, $expire );
		return true;
	}

	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		$name = $this->name( $key, $group );
		if ( isset( $this->own[ $name ] ) || $this->is_empty( $group ) ) {
			$found = isset( $this->own[ $name ] ) && array_key_exists( 2, $this->own[ $name ] );
			$value = $found ? $this->own[ $name ][2] : false;
			return is_object( $value ) ? clone $value : $value;
		}
		return $this->real->get( $key, $group, $force || $this->is_old( $name ), $found );
	}

	public function has( $key, $group = 'default' ) {
		$this->get( $key, $group, false, $found );
		return (bool) $found;
	}

	public function delete( $key, $group = 'default' ) {
		$had = $this->has( $key, $group );
		$this->lose( $key, $group );
		return $had;
	}

	public function add( $key, $value, $group = 'default', $expire = 0 ) {
		return ! $this->has( $key, $group ) && $this->set( $key, $value, $group, $expire );
	}

	public function replace( $key, $value, $group = 'default', $expire = 0 ) {
		return $this->has( $key, $group ) && $this->set( $key, $value, $group, $expire );
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
		return $this->incr( $key, -(int) $offset, $group );
	}

	public function increment( $key, $offset = 1, $group = 'default' ) {
		return $this->incr( $key, $offset, $group );
	}

	public function decrement( $key, $offset = 1, $group = 'default' ) {
		return $this->incr( $key, -(int) $offset, $group );
	}

	public function get_multiple( $keys, $group = 'default', $force = false ) {
		$values = array();
		$rest   = array();
		$anew   = $force;
		foreach ( $keys as $key ) {
			$name = $this->name( $key, $group );
			if ( isset( $this->own[ $name ] ) || $this->is_empty( $group ) || ! method_exists( $this->real, 'get_multiple' ) ) {
				$values[ $key ] = $this->get( $key, $group, $force );
			} else {
				$values[ $key ] = false;
				$rest[]         = $key;
				$anew           = $this->is_old( $name ) || $anew;
			}
		}
		// One question for all of them: the cache may be far away.
		return $rest ? array_replace( $values, (array) $this->real->get_multiple( $rest, $group, $anew ) ) : $values;
	}

	public function set_multiple( array $data, $group = '', $expire = 0 ) {
		return $this->each( 'set', $data, $group, $expire );
	}

	public function add_multiple( array $data, $group = '', $expire = 0 ) {
		return $this->each( 'add', $data, $group, $expire );
	}

	public function delete_multiple( array $keys, $group = '' ) {
		$done = array();
		foreach ( $keys as $key ) {
			$done[ $key ] = $this->delete( $key, $group );
		}
		return $done;
	}

	public function flush( ...$arguments ) {
		// Some drop-ins tell by an argument that only what was read in this request goes: each by another one.
		if ( in_array( 'wp_cache_flush_runtime', array_column( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 3 ), 'function' ), true ) ) { // phpcs:ignore WordPress.PHP.DevelopmentFunctions
			return true;
		}
		return $this->emptied( 'The object cache would be emptied', array( '' ), 'flush', $arguments );
	}

	public function flush_runtime() {
		return true;
	}

	public function reset() {
		return true;
	}

	public function close() {
		return true;
	}

	public function dc_close() {
		return true;
	}

	public function __call( $method, $arguments ) {
		$name = strtolower( $method );
		if ( ! is_callable( array( $this->real, $method ) ) ) {
			// Whoever asks first whether it can be called is told yes by PHP, here as anywhere else where there is __call().
			return null;
		}
		if ( isset( self::EMPTIES[ $name ] ) ) {
			$groups = self::EMPTIES[ $name ] ? (array) $arguments[0] : array( '' );
			$what   = self::EMPTIES[ $name ] ? 'Group ' . implode( ', ', $groups ) . ' of the object cache would be emptied' : 'The object cache would be emptied';
			return $this->emptied( $what, $groups, $method, $arguments );
		}
		if ( ! $this->refuses || in_array( $name, self::READS, true ) ) {
			return $this->real->$method( ...$arguments );
		}
		Hold_Outside::note( 'other', "Refused: $method() of the object cache" );
		return false;
	}

	public function __get( $name ) {
		$value = array_key_exists( $name, $this->set ) ? $this->set[ $name ] : $this->real->$name;
		if ( $this->refuses && self::RUNTIME !== $name && array_filter( is_array( $value ) ? $value : array( $value ), array( __CLASS__, 'leads_out' ) ) ) {
			Hold_Outside::note( 'other', "Refused: $name of the object cache" );
			return null;
		}
		return $value;
	}

	public function __set( $name, $value ) {
		$this->set[ $name ] = $value;
	}

	public function __isset( $name ) {
		return isset( $this->set[ $name ] ) || isset( $this->real->$name );
	}

	public function __unset( $name ) {
		$this->set[ $name ] = null;
	}

	// phpcs:enable

	/**
	 * Whether a value may be a connection to the server of the cache.
	 *
	 * @param mixed $value The value.
	 * @return bool
	 */
	private static function leads_out( $value ) {
		return is_resource( $value ) || ( is_object( $value ) && 'stdClass' !== get_class( $value ) );
	}

	/**
	 * Empties groups.
	 *
	 * @param string   $what      What is noted.
	 * @param string[] $groups    Their names; the empty one for all.
	 * @param string   $method    What empties them.
	 * @param array    $arguments Its arguments.
	 * @return bool
	 */
	private function emptied( $what, array $groups, $method, array $arguments ) {
		if ( $this->refuses ) {
			Hold_Outside::note( 'cache', $what );
		}
		$this->lose_all( $groups, $method, $arguments );
		return true;
	}

	/**
	 * Whether a key is to be asked for anew.
	 *
	 * @param string $name Its place.
	 * @return bool
	 */
	private function is_old( $name ) {
		if ( ! $this->is_old || isset( $this->asked[ $name ] ) ) {
			return false;
		}
		$this->asked[ $name ] = true;
		return true;
	}

	/**
	 * Does something with each of several values.
	 *
	 * @param string $method set or add.
	 * @param array  $data   The values by their keys.
	 * @param string $group  Their group.
	 * @param int    $expire Seconds that they live.
	 * @return bool[]
	 */
	private function each( $method, array $data, $group, $expire ) {
		$done = array();
		foreach ( $data as $key => $value ) {
			$done[ $key ] = $this->$method( $key, $value, $group, $expire );
		}
		return $done;
	}
}
