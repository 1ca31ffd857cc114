<?php
/**
 * What every keeper of SEO fields can do.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;
use WP_Post;

defined( 'ABSPATH' ) || exit;

/** SEO fields of posts in one plugin's own store; fields that were not sent stay as they are. */
abstract class Seo_Provider extends Seo_Effect {

	/** The meta keys of the switches. */
	const ROBOTS_ROWS = array();

	/** The meta key that says whether the fields of Open Graph are shown in place of those of Twitter; null for none. */
	const MIRROR = null;

	/**
	 * The provider of this site: the first SEO plugin found, else the plugin's own fields.
	 *
	 * @return Seo_Provider
	 */
	public static function active() {
		$all = self::all();
		return $all ? $all[0] : new Seo_None();
	}

	/**
	 * The SEO plugins that are active beside that one, each of which prints fields of its own.
	 *
	 * @return string[] As id() names them.
	 */
	public static function beside() {
		$names = array();
		foreach ( array_slice( self::all(), 1 ) as $provider ) {
			$names[] = $provider->id();
		}
		return $names;
	}

	/**
	 * The providers of the SEO plugins that are active.
	 *
	 * @return Seo_Provider[]
	 */
	private static function all() {
		$all = array();
		if ( defined( 'WPSEO_VERSION' ) ) {
			$all[] = new Seo_Yoast();
		}
		if ( defined( 'RANK_MATH_VERSION' ) ) {
			$all[] = new Seo_Rank_Math();
		}
		if ( defined( 'SEOPRESS_VERSION' ) ) {
			$all[] = new Seo_Seopress();
		}
		return $all;
	}

	/**
	 * Its name in answers: yoast, rankmath, seopress, none, or other for one that is not known.
	 *
	 * @return string
	 */
	abstract public function id();

	/**
	 * Its version; null for none.
	 *
	 * @return string|null
	 */
	abstract public function version();

	/**
	 * What stands in the way of storing fields; null for nothing.
	 *
	 * @return WP_Error|null
	 */
	public function in_the_way() {
		return null;
	}

	/**
	 * The meta key of each of TEXTS.
	 *
	 * @return array
	 */
	abstract protected function keys();

	/**
	 * The meta keys of those of TEXTS that people write.
	 *
	 * @return string[] By name.
	 */
	public function text_keys() {
		return array_diff_key( $this->keys(), array_flip( array( 'og.image', 'twitter.image' ) ) );
	}

	/**
	 * Stores switches.
	 *
	 * @param int   $id      Number of the post.
	 * @param array $changes Some of ROBOTS with true or false.
	 */
	abstract protected function write_robots( $id, array $changes );

	/**
	 * Every meta key that a change of fields may write, each with the field it belongs to, as in TEXTS, or a group of them.
	 *
	 * @return string[]
	 */
	public function row_keys() {
		$keys = array_flip( $this->keys() ) + array_flip( $this->image_keys() );
		if ( null !== static::MIRROR ) {
			// A change of one field of Twitter's may write them all, and whether they are shown.
			$keys = preg_replace( '/^twitter\..*/', 'twitter', $keys ) + array( static::MIRROR => 'twitter' );
		}
		return $keys + array_fill_keys( array_values( static::ROBOTS_ROWS ), 'robots' );
	}

	/**
	 * Runs after rows were set back as they were.
	 *
	 * @param WP_Post $post The post.
	 */
	public function restored( WP_Post $post ) {
		$this->stored( $post->ID, array( 'robots' ) );
	}

	/**
	 * Runs after fields were stored.
	 *
	 * @param int   $id      Number of the post.
	 * @param array $changed Names of the fields, as in TEXTS.
	 */
	protected function stored( $id, array $changed ) {
	}

	/**
	 * Has the sitemap that is kept made anew, where a post is to be in it or out of it from now on.
	 *
	 * @param WP_Post $post The post.
	 */
	public function listed( WP_Post $post ) {
	}

	/**
	 * All fields of a post: the switches and images in effect, the texts as stored.
	 *
	 * @param WP_Post $post The post.
	 * @return array
	 */
	public function read( WP_Post $post ) {
		$fields = array(
			'title'         => '',
			'description'   => '',
			'focus_keyword' => '',
			'robots'        => wp_list_pluck( $this->in_effect( $post ), 'on' ),
			'canonical'     => '',
			'og'            => array(),
			'twitter'       => array(),
		);
		foreach ( array_keys( $this->keys() ) as $name ) {
			self::put( $fields, $name, $this->text( $post->ID, $name ) );
		}
		return $fields;
	}

	/**
	 * One of TEXTS; of an image that has a number too, the address of the one that is shown.
	 *
	 * @param int    $id   Number of the post.
	 * @param string $name Its name.
	 * @return string
	 */
	protected function text( $id, $name ) {
		$value  = get_post_meta( $id, $this->keys()[ $name ], true );
		$value  = is_scalar( $value ) ? (string) $value : '';
		$images = $this->image_keys();
		if ( ! isset( $images[ $name ] ) ) {
			return $value;
		}
		return Seo_Image::shown( $value, (int) get_post_meta( $id, $images[ $name ], true ), $this->library_only() );
	}

	/**
	 * Those of the given fields that differ from what is in effect: a value that does not change is not stored.
	 *
	 * @param WP_Post $post    The post.
	 * @param array   $changes Texts by name as in TEXTS, and robots.
	 * @return array The same without what does not change; no robots where none does.
	 */
	public function changed( WP_Post $post, array $changes ) {
		$differ = array();
		foreach ( array_intersect_key( $changes, $this->keys() ) as $name => $value ) {
			if ( $this->text( $post->ID, $name ) !== $value ) {
				$differ[ $name ] = $value;
			}
		}
		$now    = wp_list_pluck( $this->in_effect( $post ), 'on' );
		$robots = array_diff_assoc( isset( $changes['robots'] ) ? $changes['robots'] : array(), $now );
		return $robots ? $differ + array( 'robots' => $robots ) : $differ;
	}

	/**
	 * Stores the given fields; an empty text clears its field.
	 *
	 * @param WP_Post $post    The post.
	 * @param array   $changes As changed() gives them.
	 */
	public function write( WP_Post $post, array $changes ) {
		$keys   = $this->keys();
		$images = $this->image_keys();
		foreach ( array_intersect_key( $changes, $keys ) as $name => $value ) {
			self::store( $post->ID, $keys[ $name ], $value );
			if ( isset( $images[ $name ] ) ) {
				$attachment = Seo_Image::attachment( $value );
				self::store( $post->ID, $images[ $name ], 0 === $attachment ? '' : (string) $attachment );
			}
		}
		if ( ! empty( $changes['robots'] ) ) {
			$this->write_robots( $post->ID, $changes['robots'] );
		}
		$this->stored( $post->ID, array_keys( $changes ) );
		Caches::post( $post->ID );
	}

	/**
	 * Stores a text of a post; an empty one takes its key away.
	 *
	 * @param int    $id    Number of the post.
	 * @param string $key   The meta key.
	 * @param string $value The text.
	 */
	protected static function store( $id, $key, $value ) {
		if ( '' === $value ) {
			delete_post_meta( $id, $key );
		} else {
			update_post_meta( $id, $key, wp_slash( $value ) );
		}
	}

	/**
	 * Puts a value under a dotted name.
	 *
	 * @param array  $fields Where to.
	 * @param string $name   A name as in TEXTS.
	 * @param mixed  $value  The value.
	 */
	private static function put( array &$fields, $name, $value ) {
		$path = explode( '.', $name );
		if ( 2 === count( $path ) ) {
			$fields[ $path[0] ][ $path[1] ] = $value;
		} else {
			$fields[ $name ] = $value;
		}
	}

	/**
	 * The sitemap: enabled, url (null where there is none), modules (what can be on or off), cache (none or kept).
	 *
	 * @return array
	 */
	abstract public function sitemap();

	/** Throws away what is kept of the sitemap; it is made anew when it is next asked for. */
	abstract public function rebuild_sitemap();

	/**
	 * An answer of sitemap().
	 *
	 * @param string $path    Where the sitemap lies.
	 * @param array  $modules What can be on or off; the sitemap is on when all are.
	 * @param string $cache   none or kept.
	 * @return array
	 */
	protected static function sitemap_at( $path, array $modules, $cache ) {
		$enabled = ! in_array( false, $modules, true );
		return array(
			'enabled' => $enabled,
			'url'     => $enabled ? home_url( $path ) : null,
			'modules' => $modules,
			'cache'   => $cache,
		);
	}
}
