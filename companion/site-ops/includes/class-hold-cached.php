<?php
/**
 * What was written to the object cache while a transaction runs.
 *
 * @package SiteOps
 */

namespace SiteOps;

use Throwable;

defined( 'ABSPATH' ) || exit;

/** Keeps what is written to a cache, and tells that cache of it once the rows are committed. */
abstract class Hold_Cached {

	/** Groups of values that are nowhere else. */
	const ONLY_HERE = array( 'transient', 'site-transient' );

	/** Groups that all sites of a network share, as WordPress names them when it starts. */
	const SHARED = array( 'blog-details', 'blog-id-cache', 'blog-lookup', 'blog_meta', 'global-posts', 'image_editor', 'networks', 'network-queries', 'rss', 'site-details', 'site-lookup', 'site-options', 'site-queries', 'site-transient', 'sites', 'theme_files', 'translation_files', 'user_meta', 'useremail', 'userlogins', 'usermeta', 'user-queries', 'users', 'userslugs' );

	/**
	 * The site's object cache.
	 *
	 * @var object
	 */
	protected $real;

	/**
	 * What was written: key and group, and where it was not deleted value and seconds that it lives.
	 *
	 * @var array[]
	 */
	protected $own = array();

	/**
	 * Number of the site of a network whose values are meant; 0 where there is no network.
	 *
	 * @var int
	 */
	private $blog;

	/**
	 * Groups that were emptied, as keys; the empty name for all of them.
	 *
	 * @var bool[]
	 */
	private $emptied = array();

	/**
	 * What emptied them: method and arguments.
	 *
	 * @var array[]
	 */
	private $calls = array();

	/**
	 * Keeps what is written to a cache.
	 *
	 * @param object $real The cache.
	 */
	public function __construct( $real ) {
		$this->real = $real;
		$this->blog = is_multisite() ? get_current_blog_id() : 0;
	}

	/**
	 * From now on the values of another site of the network are meant.
	 *
	 * @param int $blog Its number.
	 * @return mixed What the cache answers.
	 */
	public function switch_to_blog( $blog ) {
		$this->blog = is_multisite() ? (int) $blog : 0;
		return is_callable( array( $this->real, 'switch_to_blog' ) ) ? $this->real->switch_to_blog( $blog ) : null;
	}

	/**
	 * Whether something was written here.
	 *
	 * @param int|string $key   Its key.
	 * @param string     $group Its group.
	 * @return bool
	 */
	public function site_ops_has( $key, $group ) {
		return isset( $this->own[ $this->name( $key, $group ) ] );
	}

	/** Forgets what was written here. */
	public function site_ops_clear() {
		$this->own     = array();
		$this->calls   = array();
		$this->emptied = array();
	}

	/**
	 * Has the site's cache forget what was written here, and empties what was emptied. What is nowhere else is written. A
	 * cache that fails at one of them is asked for the others all the same.
	 */
	public function site_ops_commit() {
		$stale = $this->stale_options();
		foreach ( $this->calls as list( $method, $arguments ) ) {
			$this->attempt( $method, $arguments );
		}
		$here = $this->blog;
		foreach ( $this->own + $stale as $name => $one ) {
			$blog = (int) $name;
			if ( 0 !== $blog && $blog !== $this->blog ) {
				$this->switch_to_blog( $blog );
			}
			if ( array_key_exists( 2, $one ) && in_array( $one[1], self::ONLY_HERE, true ) ) {
				$this->attempt( 'set', array( $one[0], $one[2], $one[1], $one[3] ) );
			} else {
				$this->attempt( 'delete', array( $one[0], $one[1] ) );
			}
		}
		if ( $here !== $this->blog ) {
			$this->switch_to_blog( $here );
		}
		$this->site_ops_clear();
	}

	/**
	 * Keeps a value.
	 *
	 * @param int|string $key    Its key.
	 * @param string     $group  Its group.
	 * @param mixed      $value  The value.
	 * @param int        $expire Seconds that it lives; 0 for always.
	 */
	protected function keep( $key, $group, $value, $expire ) {
		$value = is_object( $value ) ? clone $value : $value;

		$this->own[ $this->name( $key, $group ) ] = array( $key, $group ? $group : 'default', $value, (int) $expire );
	}

	/**
	 * Keeps that a value is gone.
	 *
	 * @param int|string $key   Its key.
	 * @param string     $group Its group.
	 */
	protected function lose( $key, $group ) {
		$this->own[ $this->name( $key, $group ) ] = array( $key, $group ? $group : 'default' );
	}

	/**
	 * Keeps that groups are empty.
	 *
	 * @param string[] $groups    Their names; the empty one for all.
	 * @param string   $method    What empties them.
	 * @param array    $arguments Its arguments.
	 */
	protected function lose_all( array $groups, $method, array $arguments ) {
		$this->emptied += array_fill_keys( $groups, true );
		$this->calls[]  = array( $method, $arguments );
		foreach ( $this->own as $name => $one ) {
			if ( $this->is_empty( $one[1] ) ) {
				unset( $this->own[ $name ] );
			}
		}
	}

	/**
	 * Whether a group was emptied.
	 *
	 * @param string $group The group.
	 * @return bool
	 */
	protected function is_empty( $group ) {
		return isset( $this->emptied[''] ) || isset( $this->emptied[ $group ? $group : 'default' ] );
	}

	/**
	 * The place of a key; it begins with the number of its site, 0 for what all of them share.
	 *
	 * @param int|string $key   The key.
	 * @param string     $group Its group.
	 * @return string
	 */
	protected function name( $key, $group ) {
		$group = $group ? $group : 'default';
		return ( in_array( $group, self::SHARED, true ) ? 0 : $this->blog ) . "\0$group\0$key";
	}

	/**
	 * Options that are no more as the site's cache has them in its list of all: some drop-ins keep each of them beside it.
	 *
	 * @return array[] Key and group, by their places.
	 */
	private function stale_options() {
		$name = $this->name( 'alloptions', 'options' );
		$was  = isset( $this->own[ $name ][2] ) ? array_map( 'maybe_serialize', (array) $this->real->get( 'alloptions', 'options' ) ) : array();
		$all  = array();
		foreach ( array_keys( $was ? array_diff_assoc( $was, array_map( 'maybe_serialize', (array) $this->own[ $name ][2] ) ) : array() ) as $option ) {
			$all[ $this->name( $option, 'options' ) ] = array( $option, 'options' );
		}
		return $all;
	}

	/**
	 * Calls a method of the site's cache, whatever comes of it.
	 *
	 * @param string $method    Its name.
	 * @param array  $arguments Its arguments.
	 */
	private function attempt( $method, array $arguments ) {
		try {
			$this->real->$method( ...$arguments );
		} catch ( Throwable $error ) {
			error_log( 'Site Ops: the object cache failed after a commit: ' . $error->getMessage() ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
		}
	}
}
