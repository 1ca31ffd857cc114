<?php
/**
 * Which SEO values visitors get.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** What decides about the fields of a post beside the post itself; each SEO plugin says it in its own class. */
abstract class Seo_Effect extends Seo_Words {

	/** The five switches of robots. */
	const ROBOTS = array( 'noindex', 'nofollow', 'noarchive', 'nosnippet', 'noimageindex' );

	/** Fields that are one text each; a dot leads into a group. */
	const TEXTS = array(
		'title',
		'description',
		'focus_keyword',
		'canonical',
		'og.title',
		'og.description',
		'og.image',
		'twitter.title',
		'twitter.description',
		'twitter.image',
	);

	/** Texts of which it is known what visitors get. */
	const SHOWN = array( 'title', 'description', 'canonical', 'og.title', 'og.description', 'twitter.title', 'twitter.description' );

	/**
	 * The switches as visitors get them by this plugin's own rules.
	 *
	 * @param WP_Post $post The post.
	 * @return array[] Each of ROBOTS as self::value() gives it.
	 */
	abstract protected function robots( WP_Post $post );

	/**
	 * A switch in effect.
	 *
	 * @param bool        $on    Whether it is on.
	 * @param string      $by    What decides: post (its own value, or nothing), type, site, or state (private, protected).
	 * @param string|null $fixed Why no value of the post's own changes it: type, site, state, off (a part of the SEO
	 *                           plugin is switched off), idle (the plugin is not set up), unsupported; null where one does.
	 * @return array
	 */
	protected static function value( $on, $by = 'post', $fixed = null ) {
		return array(
			'on'    => (bool) $on,
			'by'    => $by,
			'fixed' => $fixed,
		);
	}

	/**
	 * The switches in effect: the plugin's rules, and WordPress's own setting that keeps search engines away.
	 *
	 * @param WP_Post $post The post.
	 * @return array[] Each of ROBOTS as value() gives it.
	 */
	public function in_effect( WP_Post $post ) {
		$robots = $this->robots( $post );
		if ( '0' !== (string) get_option( 'blog_public' ) ) {
			return $robots;
		}
		foreach ( array( 'noindex', 'nofollow' ) as $name ) {
			$own             = $robots[ $name ]['on'] && 'post' === $robots[ $name ]['by'];
			$robots[ $name ] = self::value( true, $own ? 'post' : 'site', 'site' );
		}
		return $robots;
	}

	/**
	 * The fields for which a value of the post's own would not be shown.
	 *
	 * @param WP_Post $post   The post.
	 * @param array   $images Addresses that are to be set, by name as in TEXTS.
	 * @return string[] By name (robots.noindex, og.title): a word as for value(), or library (only images of the library).
	 */
	public function fixed( WP_Post $post, array $images = array() ) {
		$fixed = array();
		foreach ( $this->in_effect( $post ) as $name => $value ) {
			if ( null !== $value['fixed'] ) {
				$fixed[ 'robots.' . $name ] = $value['fixed'];
			}
		}
		$fixed += $this->fixed_texts();
		foreach ( $this->library_only() ? array_intersect_key( $images, $this->image_keys() ) : array() as $name => $url ) {
			if ( '' !== $url && 0 === Seo_Image::attachment( $url ) ) {
				$fixed += array( $name => 'library' );
			}
		}
		return $fixed;
	}

	/**
	 * Whether a page that is not to be indexed has no canonical address.
	 *
	 * @param WP_Post $post The post.
	 * @return bool
	 */
	protected function drops_canonical( WP_Post $post ) {
		unset( $post );
		return true;
	}

	/**
	 * The texts that are not shown, by name as in TEXTS: off or idle.
	 *
	 * @return string[]
	 */
	protected function fixed_texts() {
		return array();
	}

	/**
	 * What visitors get of SHOWN by this plugin's own rules.
	 *
	 * @param WP_Post $post The post.
	 * @return array[] By name, each as first() gives it; nothing of what is not known.
	 */
	protected function texts( WP_Post $post ) {
		unset( $post );
		return array();
	}

	/**
	 * What visitors get of SHOWN where that is not what the post itself holds: a template filled in, a default, nothing.
	 *
	 * @param WP_Post  $post   The post.
	 * @param string[] $stored What the post holds, by name as in TEXTS.
	 * @return array[] By name: value (null where nothing is shown) and by, as first() has it, or as fixed() says why not.
	 */
	public function shown( WP_Post $post, array $stored ) {
		$texts  = $this->texts_within( $post );
		$robots = $this->in_effect( $post );
		if ( $robots['noindex']['on'] && isset( $texts['canonical'] ) && $this->drops_canonical( $post ) ) {
			$texts['canonical'] = self::none( 'noindex' );
		}
		foreach ( array_intersect_key( $this->fixed_texts(), array_flip( self::SHOWN ) ) as $name => $why ) {
			$texts[ $name ] = self::none( $why );
		}
		foreach ( $texts as $name => $text ) {
			if ( 'post' === $text['by'] && rawurldecode( $text['value'] ) === rawurldecode( $stored[ $name ] ) ) {
				unset( $texts[ $name ] );
			} elseif ( '' === $text['value'] ) {
				$texts[ $name ] = self::none( $text['by'] ) + $text;
			}
		}
		return $texts;
	}

	/**
	 * What texts() gives while WordPress takes the post for the one being shown, as templates need it.
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	private function texts_within( WP_Post $post ) {
		$before          = isset( $GLOBALS['post'] ) ? $GLOBALS['post'] : null;
		$GLOBALS['post'] = $post; // phpcs:ignore WordPress.WP.GlobalVariablesOverride.Prohibited
		setup_postdata( $post );
		try {
			return $this->with_filters( $post );
		} catch ( \Throwable $thrown ) {
			// A version of the plugin that works in another way: what it shows is not known.
			do_action( 'site_ops_seo_unread', $post->ID, $thrown );
			return array();
		} finally {
			wp_reset_postdata();
			$GLOBALS['post'] = $before; // phpcs:ignore WordPress.WP.GlobalVariablesOverride.Prohibited
		}
	}

	/**
	 * Filters through which a theme or another plugin changes a text after the SEO plugin made it, by name as in SHOWN.
	 *
	 * @return string[]
	 */
	protected function filters() {
		return array();
	}

	/**
	 * The namespace or prefix of the classes that are the SEO plugin's own.
	 *
	 * @return string
	 */
	protected function own_classes() {
		return '';
	}

	/**
	 * The texts with what filters make of them. What the plugin's own filters do belongs to the text; one that a theme or
	 * another plugin changes is by filter, and tells what it would be without (without).
	 *
	 * @param WP_Post $post The post.
	 * @return array[]
	 */
	private function with_filters( WP_Post $post ) {
		$own     = $this->own_classes();
		$filters = Seo_Filters::of_others( $this->filters(), $own );
		if ( ! $filters ) {
			return $this->texts( $post );
		}
		$texts = Seo_Filters::without_others(
			$filters,
			$own,
			function () use ( $post ) {
				return $this->texts( $post );
			}
		);
		foreach ( $this->filtered( $post, $texts ) as $name => $value ) {
			if ( $value !== $texts[ $name ]['value'] ) {
				$texts[ $name ] = array(
					'value'   => $value,
					'by'      => 'filter',
					'without' => $texts[ $name ]['value'],
				);
			}
		}
		return $texts;
	}

	/**
	 * The values of texts as filters leave them: those that have one, and those in whose place such a text is shown.
	 *
	 * @param WP_Post $post  The post.
	 * @param array[] $texts By name, as first() gives them.
	 * @return string[] By name.
	 */
	protected function filtered( WP_Post $post, array $texts ) {
		unset( $post );
		$values = array();
		foreach ( array_intersect_key( $this->filters(), $texts ) as $name => $hook ) {
			$values[ $name ] = self::plain( apply_filters( $hook, $texts[ $name ]['value'] ) ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals, WordPress.NamingConventions.ValidHookName
		}
		foreach ( $texts as $name => $text ) {
			$of = 'og' === $text['by'] ? str_replace( 'twitter.', 'og.', $name ) : $text['by'];
			if ( isset( $values[ $of ] ) && $text['value'] === $texts[ $of ]['value'] ) {
				$values[ $name ] = $values[ $of ];
			}
		}
		return $values;
	}

	/**
	 * The parts of the plugin that are switched off, each with the switch to turn.
	 *
	 * @return array[] part (all, title, og, twitter, schema, sitemap) and switch.
	 */
	public function off() {
		return array();
	}

	/**
	 * An answer of off().
	 *
	 * @param string[] $switches By part, the switch to turn.
	 * @return array[]
	 */
	protected static function parts_off( array $switches ) {
		$off = array();
		foreach ( $switches as $part => $switch ) {
			$off[] = array(
				'part'   => $part,
				'switch' => $switch,
			);
		}
		return $off;
	}

	/**
	 * Whether of images only those of the site's library are shown.
	 *
	 * @return bool
	 */
	protected function library_only() {
		return false;
	}

	/**
	 * Under which meta key the number of an image of the library lies beside its address, by name as in TEXTS.
	 *
	 * @return string[]
	 */
	protected function image_keys() {
		return array();
	}

	/**
	 * Whether the fields of Open Graph are shown in place of those of Twitter.
	 *
	 * @param int $id Number of the post.
	 * @return bool
	 */
	public function mirrors( $id ) {
		unset( $id );
		return false;
	}
}
