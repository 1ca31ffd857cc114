<?php
/**
 * What visitors get of texts where Rank Math shows them.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Which text counts, by Rank Math's rules; its variables are filled in by itself. */
final class Seo_Rank_Math_Texts {

	/**
	 * A post's own text, else the template of its type; the description of a post is its excerpt before that
	 * (class-singular.php), a social text is the title or the description, and at last the excerpt (class-opengraph.php,
	 * 1.0.273).
	 *
	 * @param WP_Post  $post    The post.
	 * @param string[] $own     What the post holds, by name as in Seo_Effect::TEXTS.
	 * @param array    $titles  Rank Math's settings of titles.
	 * @param bool     $mirrors Whether the fields of Open Graph are shown in place of those of Twitter.
	 * @return array[] By name, as Seo_Effect::first() gives it.
	 */
	public static function of( WP_Post $post, array $own, array $titles, $mirrors ) {
		if ( ! is_callable( array( '\\RankMath\\Helper', 'replace_vars' ) ) ) {
			return array();
		}
		$manager = function_exists( 'rank_math' ) && isset( rank_math()->variables ) ? rank_math()->variables : null;
		if ( is_callable( array( $manager, 'setup' ) ) ) {
			$manager->setup();
		}
		$type   = 'pt_' . $post->post_type;
		$of     = function ( $name ) use ( $titles, $type ) {
			return isset( $titles[ $type . $name ] ) ? (string) $titles[ $type . $name ] : '';
		};
		$own    = array_map(
			function ( $text ) use ( $post ) {
				return self::filled( $text, $post );
			},
			$own
		);
		$length = array( '\\RankMath\\Helpers\\Str', 'truncate' );
		$about  = self::filled( $of( '_description' ), $post );
		$texts  = array(
			'title'       => Seo_Effect::first(
				array(
					'post'    => $own['title'],
					'type'    => self::filled( $of( '_title' ), $post ),
					'default' => self::filled( '%title% %sep% %sitename%', $post ),
				)
			),
			'description' => Seo_Effect::first(
				array(
					'post'    => $own['description'],
					'content' => Seo_Effect::plain( $post->post_excerpt ),
					'type'    => is_callable( $length ) ? Seo_Effect::plain( call_user_func( $length, $about, 160 ) ) : $about,
				)
			),
			'canonical'   => Seo_Effect::first(
				array(
					'post'    => $own['canonical'],
					'default' => (string) get_permalink( $post ),
				)
			),
		);

		$texts['og.title']       = Seo_Effect::first(
			array(
				'post'  => $own['og.title'],
				'title' => $texts['title']['value'],
			)
		);
		$texts['og.description'] = Seo_Effect::first(
			array(
				'post'        => $own['og.description'],
				'description' => $texts['description']['value'],
				'content'     => Seo_Effect::plain( get_the_excerpt( $post ) ),
			)
		);
		foreach ( array( 'title', 'description' ) as $name ) {
			$texts[ 'twitter.' . $name ] = $mirrors
				? array( 'by' => 'og' ) + $texts[ 'og.' . $name ]
				: Seo_Effect::first(
					array(
						'post'    => $own[ 'twitter.' . $name ],
						$name     => $texts[ $name ]['value'],
						'content' => 'title' === $name ? '' : Seo_Effect::plain( get_the_excerpt( $post ) ),
					)
				);
		}
		return $texts;
	}

	/**
	 * A text with its variables filled in, as a page has it (get_title() in class-paper.php, maybe_replace_vars() in
	 * class-metadata.php).
	 *
	 * @param string  $text The text.
	 * @param WP_Post $post The post.
	 * @return string
	 */
	private static function filled( $text, WP_Post $post ) {
		$text = str_replace( array( '%seo_title%', '%seo_description%' ), array( '%title%', '%excerpt%' ), $text );
		return '' === $text ? '' : Seo_Effect::plain( stripslashes( (string) \RankMath\Helper::replace_vars( $text, $post ) ) );
	}
}
