<?php
/**
 * SEO fields kept by Rank Math.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Post meta rank_math_*. */
final class Seo_Rank_Math extends Seo_Provider {

	/** Unless off, the fields of Open Graph are shown in place of those of Twitter. */
	const MIRROR = 'rank_math_twitter_use_facebook';

	const ROBOTS_ROWS = array( 'rank_math_robots' );

	/** {@inheritDoc} */
	public function id() {
		return 'rankmath';
	}

	/** {@inheritDoc} */
	public function version() {
		return (string) RANK_MATH_VERSION;
	}

	/** {@inheritDoc} */
	protected function keys() {
		return array(
			'title'               => 'rank_math_title',
			'description'         => 'rank_math_description',
			'focus_keyword'       => 'rank_math_focus_keyword',
			'canonical'           => 'rank_math_canonical_url',
			'og.title'            => 'rank_math_facebook_title',
			'og.description'      => 'rank_math_facebook_description',
			'og.image'            => 'rank_math_facebook_image',
			'twitter.title'       => 'rank_math_twitter_title',
			'twitter.description' => 'rank_math_twitter_description',
			'twitter.image'       => 'rank_math_twitter_image',
		);
	}

	/**
	 * What is stored with a post takes the place of all defaults, as a whole list (get_post_robots() in Rank Math's
	 * class-singular.php, 1.0.273); a private post is never indexed, nor a protected one where that is set.
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	protected function robots( WP_Post $post ) {
		list( $words, $by ) = self::words_of( $post->ID );

		$titles = self::titles();
		$hidden = 'private' === $post->post_status
			|| ( '' !== $post->post_password && self::is_on( $titles, 'noindex_password_protected' ) );
		$robots = array();
		foreach ( self::ROBOTS as $name ) {
			$robots[ $name ] = self::value( in_array( $name, $words, true ), $by );
			if ( self::is_idle() ) {
				$robots[ $name ] = self::value( false, 'post', 'idle' );
			}
		}
		if ( $hidden && ! self::is_idle() ) {
			$own               = $robots['noindex']['on'] && 'post' === $by;
			$robots['noindex'] = self::value( true, $own ? 'post' : 'state', 'state' );
		}
		return $robots;
	}

	/**
	 * The words of robots that count, and whose they are: the post's own, else those of its type, else those of the site.
	 *
	 * @param int $id Number of the post.
	 * @return array The words, and post, type or site.
	 */
	private static function words_of( $id ) {
		$stored = self::words( get_post_meta( $id, 'rank_math_robots', true ) );
		if ( $stored ) {
			return array( $stored, 'post' );
		}
		$titles = self::titles();
		$type   = 'pt_' . get_post_type( $id );
		if ( self::is_on( $titles, $type . '_custom_robots' ) ) {
			return array( isset( $titles[ $type . '_robots' ] ) ? self::words( $titles[ $type . '_robots' ] ) : array(), 'type' );
		}
		return array( isset( $titles['robots_global'] ) ? self::words( $titles['robots_global'] ) : array(), 'site' );
	}

	/**
	 * Rank Math's settings of titles and robots.
	 *
	 * @return array
	 */
	private static function titles() {
		return (array) get_option( 'rank-math-options-titles', array() );
	}

	/**
	 * Whether a setting is on.
	 *
	 * @param array  $titles The settings.
	 * @param string $name   Its name.
	 * @return bool
	 */
	private static function is_on( array $titles, $name ) {
		return isset( $titles[ $name ] ) && in_array( $titles[ $name ], array( 'on', 'true', '1', 1, true ), true );
	}

	/**
	 * Whether one of Rank Math's modules is on, and works.
	 *
	 * @param string $module Its name.
	 * @return bool
	 */
	public static function has_module( $module ) {
		return ! self::is_idle() && in_array( $module, (array) get_option( 'rank_math_modules', array() ), true );
	}

	/**
	 * Whether Rank Math shows nothing at all: it waits to be registered or for that step to be skipped (instantiate() in
	 * its rank-math.php, 1.0.273), or does not run on this WordPress, and then its classes are not there.
	 *
	 * @return bool
	 */
	private static function is_idle() {
		$asked = array( '\\RankMath\\Helper', 'is_invalid_registration' );
		return ! self::is_loaded() || ( is_callable( $asked ) && call_user_func( $asked ) );
	}

	/**
	 * Whether Rank Math has loaded its classes: on a WordPress or PHP older than it needs it does not, and stays active until
	 * somebody opens the admin area (is_requirements_meet() in its rank-math.php, 1.0.273).
	 *
	 * @return bool
	 */
	private static function is_loaded() {
		return class_exists( '\\RankMath\\Helper' );
	}

	/** {@inheritDoc} */
	protected function fixed_texts() {
		return self::is_idle() ? array_fill_keys( array_diff( self::TEXTS, array( 'focus_keyword' ) ), 'idle' ) : array();
	}

	/** {@inheritDoc} */
	protected function texts( WP_Post $post ) {
		if ( self::is_idle() ) {
			return array();
		}
		$own = array();
		foreach ( self::SHOWN as $name ) {
			$own[ $name ] = parent::text( $post->ID, $name );
		}
		$texts = Seo_Rank_Math_Texts::of( $post, $own, self::titles(), $this->mirrors( $post->ID ) );
		if ( 'posts' === self::place( $post ) ) {
			// Whose tags X gets there hangs on the first post of the list (use_facebook() in class-twitter.php, 1.0.273).
			unset( $texts['twitter.title'], $texts['twitter.description'] );
		}
		return $texts;
	}

	/** What it does with them is in class-paper.php (1.0.273). */
	protected function filters() {
		return array(
			'title'       => 'rank_math/frontend/title',
			'description' => 'rank_math/frontend/description',
		);
	}

	/** {@inheritDoc} */
	protected function own_classes() {
		return 'RankMath\\';
	}

	/** {@inheritDoc} */
	public function off() {
		if ( ! self::is_loaded() ) {
			return self::parts_off( array( 'all' => 'Dashboard > Updates: WordPress, for this Rank Math does not run on this version of it or of PHP' ) );
		}
		if ( self::is_idle() ) {
			return self::parts_off( array( 'all' => 'Rank Math > Setup Wizard: connect the account, or skip that step' ) );
		}
		$off = array();
		foreach ( array(
'schema'  => array( 'rich-snippet', 'Schema (Structured Data)' ),
'sitemap' => array( 'sitemap', 'Sitemap' )
) as $part => $module ) {
			if ( ! self::has_module( $module[0] ) ) {
				$off[ $part ] = 'Rank Math > Dashboard > ' . $module[1];
			}
		}
		return self::parts_off( $off );
	}

	/** Of an image only the number counts (set_image_post_meta() in Rank Math's class-image.php). */
	protected function library_only() {
		return true;
	}

	/** {@inheritDoc} */
	protected function image_keys() {
		return array(
			'og.image'      => 'rank_math_facebook_image_id',
			'twitter.image' => 'rank_math_twitter_image_id',
		);
	}

	/** So it is until somebody says otherwise (use_facebook() in Rank Math's class-twitter.php). */
	public function mirrors( $id ) {
		return ! in_array( get_post_meta( $id, self::MIRROR, true ), array( 'off', 'false', '0' ), true );
	}

	/** A field of Twitter's own is not shown while those of Open Graph are. */
	protected function text( $id, $name ) {
		return 0 === strpos( $name, 'twitter.' ) && $this->mirrors( $id ) ? '' : parent::text( $id, $name );
	}

	/**
	 * Stores fields. Where a field of Twitter's is set for the first time all three are set apart from Open Graph's: those
	 * not given keep what they show. Where one is cleared and nothing is left that differs, they are shown together again.
	 *
	 * @param WP_Post $post    The post.
	 * @param array   $changes As changed() gives them.
	 */
	public function write( WP_Post $post, array $changes ) {
		$given = preg_grep( '/^twitter\\./', array_keys( $changes ) );
		if ( $given && $this->mirrors( $post->ID ) ) {
			foreach ( self::parts() as $twitter => $og ) {
				self::store( $post->ID, $twitter, (string) get_post_meta( $post->ID, $og, true ) );
			}
			update_post_meta( $post->ID, self::MIRROR, 'off' );
		}
		parent::write( $post, $changes );
		if ( $given && in_array( '', array_intersect_key( $changes, array_flip( $given ) ), true ) && ! self::differs( $post->ID ) ) {
			delete_post_meta( $post->ID, self::MIRROR );
		}
	}

	/**
	 * The keys of Twitter's fields, each with that of Open Graph.
	 *
	 * @return string[]
	 */
	private static function parts() {
		$parts = array();
		foreach ( array( 'title', 'description', 'image', 'image_id' ) as $name ) {
			$parts[ 'rank_math_twitter_' . $name ] = 'rank_math_facebook_' . $name;
		}
		return $parts;
	}

	/**
	 * Whether a field of Twitter's that is set differs from that of Open Graph.
	 *
	 * @param int $id Number of the post.
	 * @return bool
	 */
	private static function differs( $id ) {
		foreach ( self::parts() as $twitter => $og ) {
			$own = (string) get_post_meta( $id, $twitter, true );
			if ( '' !== $own && (string) get_post_meta( $id, $og, true ) !== $own ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * A list of words as Rank Math keeps it.
	 *
	 * @param mixed $kept What is kept.
	 * @return string[]
	 */
	private static function words( $kept ) {
		return array_values( array_filter( (array) $kept ) );
	}

	/** {@inheritDoc} */
	protected function write_robots( $id, array $changes ) {
		$robots = self::words_of( $id )[0];
		foreach ( $changes as $name => $on ) {
			$robots = array_values( array_diff( $robots, array( $name ) ) );
			if ( $on ) {
				$robots[] = $name;
			}
		}
		$robots = array_values( array_diff( $robots, array( 'index' ) ) );
		if ( ! in_array( 'noindex', $robots, true ) ) {
			array_unshift( $robots, 'index' );
		}
		update_post_meta( $id, 'rank_math_robots', $robots );
	}

	/** {@inheritDoc} */
	protected function stored( $id, array $changed ) {
		if ( array_intersect( array( 'robots', 'canonical' ), $changed ) ) {
			$this->listed( get_post( $id ) );
		}
	}

	/** Rank Math itself sees to that in the admin area and for cron only, not where REST writes (class-sitemap.php, 1.0.273). */
	public function listed( WP_Post $post ) {
		if ( is_callable( array( '\RankMath\Sitemap\Cache', 'invalidate_storage' ) ) ) {
			// The index, then the list of the type.
			\RankMath\Sitemap\Cache::invalidate_storage( '1' );
			\RankMath\Sitemap\Cache::invalidate_storage( $post->post_type );
		}
	}

	/** {@inheritDoc} */
	public function sitemap() {
		$cached = class_exists( '\RankMath\Sitemap\Cache' );
		return self::sitemap_at( '/sitemap_index.xml', array( 'sitemap' => self::has_module( 'sitemap' ) ), $cached ? 'kept' : 'none' );
	}

	/** {@inheritDoc} */
	public function rebuild_sitemap() {
		if ( is_callable( array( '\RankMath\Sitemap\Cache', 'invalidate_storage' ) ) ) {
			\RankMath\Sitemap\Cache::invalidate_storage();
		}
		flush_rewrite_rules( false );
	}
}
